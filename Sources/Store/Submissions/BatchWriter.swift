import Domain
import Foundation
import Logging
import Postgres

/// Writes batches over its own connection: all forms of a batch in one pipeline and one commit. If that fails, it
/// writes form by form, then row by row, so that an invalid row affects no other.
///
/// It runs on the connection's thread, because the database is idle between the end of a batch and the next one's
/// start.
///
/// A batch notifies other instances of changed forms in the same commit, but at most once per `pause`: a notification
/// costs the database as much as two submissions. The remaining forms are notified with a later batch or by a timer.
actor BatchWriter {
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private nonisolated let thread: ThreadExecutor
    private let configuration: PostgresConfiguration
    private let logger: Logger
    private var connection: Connection?
    /// Changed forms of which other instances have not been notified.
    private var pendingNotifications: Set<UUID> = []
    private var lastNotification: ContinuousClock.Instant?
    private var timer: Task<Void, Never>?

    /// The shortest time between notifications.
    static let pause: Duration = .milliseconds(20)

    init(configuration: PostgresConfiguration, logger: Logger) throws(PostgresError) {
        self.configuration = configuration
        self.logger = logger
        thread = try ThreadExecutor()
    }

    deinit { thread.stop() }

    /// Writes the offers, which are sorted by form, and returns their outcomes in the same order.
    ///
    /// - Parameter onceSent: Called when the database has received the batch or its connection is lost, for work that
    ///   can run meanwhile. It must not block.
    func write(
        _ offers: [Offer], imported: Bool = false, onceSent: (@Sendable () -> Void)? = nil
    ) async -> [Outcome] {
        let batch = Batch(groups: Self.byForm(offers), imported: imported)
        do {
            return try await send(batch, onceSent: onceSent)
        } catch  where error.isConnectionLost {
            // The batch may have been committed: the retry finds its rows by the batch's attempt.
            onceSent?()
            await drop()
            return await repeated(batch)
        } catch {
            return await separately(batch, after: error)
        }
    }

    private struct Batch {
        var groups: [ArraySlice<Offer>]
        var imported: Bool
        /// Stored with each row, to distinguish rows stored by this batch from earlier ones.
        let attempt = Int32.random(in: .min ... .max)

        func of(_ group: ArraySlice<Offer>) -> Batch {
            var part = self
            part.groups = [group]
            return part
        }
    }

    /// The second try, over a new connection; a second loss is reported as an error of the database.
    private func repeated(_ batch: Batch) async -> [Outcome] {
        do {
            return try await send(batch)
        } catch  where error.isConnectionLost {
            await drop()
            return batch.groups.joined().map { _ in .refused(Problem(.databaseUnavailable, retryAfter: 1)) }
        } catch {
            return await separately(batch, after: error)
        }
    }

    private func separately(_ batch: Batch, after error: PostgresError) async -> [Outcome] {
        logger.warning("retrying a batch of submissions form by form", metadata: ["error": "\(error)"])
        var outcomes: [Outcome] = []
        for group in batch.groups { outcomes += await write(form: group, of: batch) }
        return outcomes
    }

    func close() async {
        timer?.cancel()
        await notifyOthers()
        await drop()
    }

    private func write(form offers: ArraySlice<Offer>, of batch: Batch) async -> [Outcome] {
        do {
            return try await send(batch.of(offers))
        } catch  where error.isConnectionLost {
            await drop()
            return offers.map { _ in .refused(Problem(.databaseUnavailable, retryAfter: 1)) }
        } catch {
            // A lock held for too long or a full disk would fail every row alike.
            if let problem = error.problem { return offers.map { _ in .refused(problem) } }
            guard offers.count > 1 else {
                logger.error("a submission could not be stored", metadata: ["error": "\(error)"])
                return [.refused(Problem(.internalError))]
            }
            var outcomes: [Outcome] = []
            var created: Set<UUID> = []
            for offer in offers {
                for outcome in await write(form: [offer], of: batch) {
                    // Written alone, a repeated offer of the same batch finds the row that the batch stored.
                    if case .created(let at, _) = outcome, !created.insert(offer.id).inserted {
                        outcomes.append(.replayed(at: at))
                    } else {
                        outcomes.append(outcome)
                    }
                }
            }
            return outcomes
        }
    }

    private func send(
        _ batch: Batch, onceSent: (@Sendable () -> Void)? = nil
    ) async throws(PostgresError) -> [Outcome] {
        let connection = try await connected()
        let calls = batch.groups.map {
            IngestStatement.make($0, imported: batch.imported, attempt: batch.attempt)
        }
        pendingNotifications.formUnion(batch.groups.compactMap(\.first?.formID))
        let notified = batch.imported || isTime ? pendingNotifications : []
        let notifications = notified.map { IngestStatement.notification($0) }
        let answers = try await connection.pipeline(calls + notifications, onceSent: onceSent)
        didNotify(notified)
        var outcomes: [Outcome] = []
        for rows in answers.prefix(calls.count) { outcomes += try IngestStatement.outcomes(rows) }
        return outcomes
    }

    private func connected() async throws(PostgresError) -> Connection {
        if let connection, connection.wasIdle { return connection }
        let fresh = try await Connection.connect(configuration, on: thread)
        connection = fresh
        return fresh
    }

    private var isTime: Bool { rest <= .zero }

    /// The rest of the pause after the last notification.
    private var rest: Duration { lastNotification.map { Self.pause - (.now - $0) } ?? .zero }

    /// Removes the notified forms and starts the timer for the others.
    private func didNotify(_ notified: Set<UUID>) {
        if !notified.isEmpty { lastNotification = .now }
        pendingNotifications.subtract(notified)
        guard !pendingNotifications.isEmpty, timer == nil else { return }
        timer = Task {
            // A batch that notifies meanwhile restarts the pause.
            while !Task.isCancelled, !isTime { try? await Task.sleep(for: rest) }
            timer = nil
            if !Task.isCancelled { await notifyOthers() }
        }
    }

    /// Sends the pending notifications. A lost one does no harm: instances also poll.
    private func notifyOthers() async {
        guard let connection, connection.wasIdle, !pendingNotifications.isEmpty else { return }
        let notified = pendingNotifications
        // A batch that is written meanwhile must not notify of the same forms again.
        lastNotification = .now
        if (try? await connection.pipeline(notified.map { IngestStatement.notification($0) })) != nil {
            didNotify(notified)
        }
    }

    private func drop() async {
        await connection?.close()
        connection = nil
    }

    private static func byForm(_ offers: [Offer]) -> [ArraySlice<Offer>] {
        var groups: [ArraySlice<Offer>] = []
        var start = offers.startIndex
        for index in offers.indices where offers[index].formID != offers[start].formID {
            groups.append(offers[start..<index])
            start = index
        }
        if start < offers.endIndex { groups.append(offers[start...]) }
        return groups
    }
}
