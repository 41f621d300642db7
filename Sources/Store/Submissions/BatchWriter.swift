import Domain
import Foundation
import Logging
import Postgres

/// Writes batches over its own connection. One commit with a single statement stores all forms that
/// ``IngestFormsStatement`` can store together. Another commit stores the other forms with one statement for each. If a
/// commit fails, the writer retries form by form, then row by row, so that an invalid row does not affect others.
///
/// The actor runs on the connection's thread. Switching threads between two batches would take time in which the
/// database is idle.
///
/// A batch notifies other instances of changed forms in the same commit. Except for imports, it does so at most once
/// per `minNotificationInterval`, because a notification costs the database as much as two submissions. The remaining
/// notifications are sent with a later batch or by a timer. If the connection leads to a worker of a Citus cluster,
/// where nobody listens, another connection sends all of them after the commit.
actor BatchWriter {
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private nonisolated let thread: ThreadExecutor
    private let configuration: PostgresConfiguration
    /// The statements with which each transaction begins.
    private let settings: [Statement]
    /// Sends the notifications; nil for the connection that writes.
    private let notifier: Pool?
    private let logger: Logger
    private var connection: Connection?
    private var isDistributed = false
    /// Changed forms of which other instances have not been notified yet.
    private var pendingNotifications: Set<UUID> = []
    private var lastNotification: ContinuousClock.Instant?
    private var timer: Task<Void, Never>?

    /// The minimum time between two notifications.
    static let minNotificationInterval: Duration = .milliseconds(20)

    init(
        configuration: PostgresConfiguration, settings: [Statement] = [], notifier: Pool? = nil, logger: Logger
    ) throws(PostgresError) {
        (self.configuration, self.settings) = (configuration, settings)
        (self.notifier, self.logger) = (notifier, logger)
        thread = try ThreadExecutor()
    }

    deinit { thread.stop() }

    /// Writes the offers and returns their outcomes in the same order.
    ///
    /// - Parameters:
    ///   - offers: The offers, sorted by form.
    ///   - onceSent: Called when the batch has been sent, for work that can run while the database processes it. Also
    ///     called if the connection is lost. It must not block.
    func write(
        _ offers: [Offer], imported: Bool = false, onceSent: (@Sendable () -> Void)? = nil
    ) async -> [Outcome] {
        let batch = Batch(groups: Self.byForm(offers), imported: imported)
        var stored: [Int: [Outcome]] = [:]
        do {
            stored = try await storeTogether(batch, onceSent: onceSent)
        } catch  where error.isConnectionLost {
            // The rows may have been committed. `ingest` recognizes them by the batch's attempt.
            onceSent?()
            await disconnect()
        } catch {
            return await writeByForm(batch, after: error)
        }
        // Groups that have been committed are not sent again.
        let unstored = batch.groups.indices.filter { stored[$0] == nil }
        var otherOutcomes = await writeEach(batch.part(unstored.map { batch.groups[$0] }), onceSent: onceSent)[...]
        return batch.groups.indices.flatMap { index in
            if let outcomes = stored[index] { return outcomes[...] }
            defer { otherOutcomes = otherOutcomes.dropFirst(batch.groups[index].count) }
            return otherOutcomes.prefix(batch.groups[index].count)
        }
    }

    /// Writes the forms of a batch with one statement for each, in one commit.
    private func writeEach(_ batch: Batch, onceSent: (@Sendable () -> Void)?) async -> [Outcome] {
        do {
            return try await send(batch, onceSent: onceSent)
        } catch  where error.isConnectionLost && !isWorkerLost(error) {
            // The batch may have been committed. The retry recognizes its rows by the batch's attempt.
            onceSent?()
            await disconnect()
            return await retry(batch)
        } catch {
            return await writeByForm(batch, after: error)
        }
    }

    private struct Batch {
        var groups: [ArraySlice<Offer>]
        var imported: Bool
        /// Stored with each row, to distinguish rows stored by this batch from earlier ones.
        let attempt = Int32.random(in: .min ... .max)

        /// The part of the batch with these groups, with the same attempt.
        func part(_ groups: [ArraySlice<Offer>]) -> Batch {
            var part = self
            part.groups = groups
            return part
        }
    }

    /// Writes the batch again, over a new connection. If that connection is lost too, the offers are refused with 503.
    private func retry(_ batch: Batch) async -> [Outcome] {
        do {
            return try await send(batch)
        } catch  where error.isConnectionLost && !isWorkerLost(error) {
            await disconnect()
            return batch.groups.joined().map { _ in .refused(Problem(.databaseUnavailable, retryAfter: 1)) }
        } catch {
            return await writeByForm(batch, after: error)
        }
    }

    private func writeByForm(_ batch: Batch, after error: PostgresError) async -> [Outcome] {
        logger.warning("retrying a batch of submissions form by form", metadata: ["error": "\(error)"])
        var outcomes: [Outcome] = []
        for group in batch.groups { outcomes += await write(form: group, of: batch) }
        return outcomes
    }

    func close() async {
        timer?.cancel()
        await notifyOthers()
        await disconnect()
    }

    private func write(form offers: ArraySlice<Offer>, of batch: Batch) async -> [Outcome] {
        do {
            return try await send(batch.part([offers]))
        } catch  where error.isConnectionLost {
            if !isWorkerLost(error) { await disconnect() }
            return offers.map { _ in .refused(Problem(.databaseUnavailable, retryAfter: 1)) }
        } catch {
            // If a lock is held for too long or the disk is full, the other rows would fail too.
            if let problem = error.problem { return offers.map { _ in .refused(problem) } }
            guard offers.count > 1 else {
                logger.error("a submission could not be stored", metadata: ["error": "\(error)"])
                return [.refused(Problem(.internalError))]
            }
            var outcomes: [Outcome] = []
            var firstOutcomes: [UUID: Outcome] = [:]
            for offer in offers {
                for outcome in await write(form: [offer], of: batch) {
                    // The batch may contain an id twice. When written separately, the second offer finds the row of
                    // the first with the same attempt, so `ingest` reports it as created.
                    if case .created(let at, _) = outcome, let first = firstOutcomes[offer.id] {
                        outcomes.append(Self.repeated(offer, at, after: first))
                    } else {
                        outcomes.append(outcome)
                        if outcome.mayBeStored { firstOutcomes[offer.id] = outcome }
                    }
                }
            }
            return outcomes
        }
    }

    /// The outcome of the second offer with the same id. With an idempotency key, it is a replay of the first.
    private static func repeated(_ offer: Offer, _ at: Date, after first: Outcome) -> Outcome {
        if offer.keyMAC != nil { return .replayed(at: at) }
        // If the connection was lost after the first offer, it is unknown which of them is stored.
        if case .refused = first { return first }
        return .refused(Problem(.alreadySubmitted))
    }

    /// Stores with one statement those forms of the batch that ``IngestFormsStatement`` can store together.
    ///
    /// - Returns: The outcomes by the index of the group. Nothing is stored of groups that are missing.
    private func storeTogether(
        _ batch: Batch, onceSent: (@Sendable () -> Void)?
    ) async throws(PostgresError) -> [Int: [Outcome]] {
        guard batch.groups.count > 1 else { return [:] }
        let connection = try await connected()
        guard !isDistributed,
            let call = IngestFormsStatement(batch.groups, imported: batch.imported, attempt: batch.attempt)
        else { return [:] }
        let results = try await run(
            [call.statement], for: batch.part(call.groups.map { batch.groups[$0] }), on: connection, onceSent)
        return try call.outcomes(results[0])
    }

    private func send(
        _ batch: Batch, onceSent: (@Sendable () -> Void)? = nil
    ) async throws(PostgresError) -> [Outcome] {
        if batch.groups.isEmpty { return [] }
        let calls = batch.groups.map {
            IngestStatement.make($0, imported: batch.imported, attempt: batch.attempt)
        }
        var outcomes: [Outcome] = []
        for rows in try await run(calls, for: batch, on: try await connected(), onceSent) {
            outcomes += try IngestStatement.outcomes(rows)
        }
        return outcomes
    }

    /// Runs the calls for a batch in one commit, with the notifications that are due.
    private func run(
        _ calls: [Statement], for batch: Batch, on connection: Connection, _ onceSent: (@Sendable () -> Void)?
    ) async throws(PostgresError) -> [Rows] {
        pendingNotifications.formUnion(batch.groups.compactMap(\.first?.formID))
        let notified = notifier == nil && (batch.imported || mayNotify) ? pendingNotifications : []
        let notifications = notified.map { IngestStatement.notification($0) }
        let results = try await connection.pipeline(settings + calls + notifications, onceSent: onceSent)
        didNotify(notified)
        return Array(results.dropFirst(settings.count).prefix(calls.count))
    }

    private func connected() async throws(PostgresError) -> Connection {
        if let connection, connection.wasIdle { return connection }
        let fresh = try await Connection.connect(configuration, on: thread)
        isDistributed = try await Self.hasCitus(fresh)
        connection = fresh
        return fresh
    }

    /// Whether a Citus worker cannot be reached, although the coordinator can. The forms on other workers can be written.
    private func isWorkerLost(_ error: PostgresError) -> Bool {
        isDistributed && error.kind == .server && error.sqlState?.hasPrefix("08") == true
    }

    /// Whether tables may be distributed over several servers. One statement then cannot write several forms.
    private static func hasCitus(_ connection: Connection) async throws(PostgresError) -> Bool {
        try await !connection.query("SELECT FROM pg_extension WHERE extname = 'citus'").isEmpty
    }

    private var mayNotify: Bool { remainingInterval <= .zero }

    /// The time until the next notification may be sent.
    private var remainingInterval: Duration {
        lastNotification.map { Self.minNotificationInterval - (.now - $0) } ?? .zero
    }

    /// Removes these forms from the pending notifications, and starts the timer if others remain.
    private func didNotify(_ notified: Set<UUID>) {
        if !notified.isEmpty { lastNotification = .now }
        pendingNotifications.subtract(notified)
        guard !pendingNotifications.isEmpty, timer == nil else { return }
        timer = Task {
            // If a batch has notified in the meantime, the interval has started again.
            while !Task.isCancelled, !mayNotify { try? await Task.sleep(for: remainingInterval) }
            timer = nil
            if !Task.isCancelled { await notifyOthers() }
        }
    }

    /// Sends the pending notifications. Losing a notification is acceptable, because instances also poll.
    private func notifyOthers() async {
        let notified = pendingNotifications
        guard !notified.isEmpty, notifier != nil || connection?.wasIdle == true else { return }
        // Both are set before sending, because a batch that is written meanwhile has to be followed by a notification,
        // but does not send the same ones.
        lastNotification = .now
        pendingNotifications = []
        let statements = notified.map { IngestStatement.notification($0) }
        do {
            if let notifier {
                try await notifier.withConnection { _ = try await $0.pipeline(statements) }
            } else {
                try await connection?.pipeline(statements)
            }
        } catch {
            pendingNotifications.formUnion(notified)
        }
    }

    private func disconnect() async {
        await connection?.close()
        connection = nil
    }

    /// Splits the offers, which are sorted by form, into one group for each form.
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
