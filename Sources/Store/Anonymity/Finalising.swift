import Domain
import Foundation
import Logging
import Postgres
import Synchronization

/// Removes everything that links the answers of anonymous forms to people, once the forms are `finalising`.
///
/// Finalising has four steps. Each is committed before the next, so that a later run continues where another was
/// interrupted:
///
/// 1. `Forms.finish` changes the state to `finalising`, in which the form accepts no further writes.
/// 2. Copies without identifying data replace the submissions.
/// 3. After all transactions that can still see the old rows have ended, the remains of these rows and the write-ahead
///    log are cleared.
/// 4. The state becomes `final`.
///
/// Only one instance at a time performs steps 2 to 4, in the background and on a connection of its own.
public final class Finalising: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// The earliest time of the next run, if forms have to wait for other transactions.
        var pausedUntil: ContinuousClock.Instant?
        var isClosed = false
    }

    /// The time that one run waits for older transactions to end.
    private static let transactionTimeout: Duration = .seconds(2)
    /// The time between a run that had to wait and the next run.
    private static let pause: Duration = .seconds(5)

    private let pool: Pool
    private let cache: FormCache
    private let safeFilters: SafeFilters
    private let logger: Logger
    private let clearing: TraceClearing
    private let state = Mutex(State())
    /// The warnings that have been logged, so that each is logged only once.
    private let loggedWarnings = Mutex<Set<String>>([])
    private let loggedNotes = Mutex<Set<String>>([])

    /// - Parameter sessionConfiguration: Connects as the user of the database URL, without switching to the service's
    ///   role.
    init(
        pool: Pool, sessionConfiguration: PostgresConfiguration, cache: FormCache, safeFilters: SafeFilters,
        logger: Logger
    ) {
        self.pool = pool
        self.cache = cache
        self.safeFilters = safeFilters
        self.logger = logger
        clearing = TraceClearing(sessionConfiguration)
    }

    /// Starts a run for all finalising forms in the background. Does nothing while a run is in progress.
    ///
    /// - Parameter ignoresPause: Whether to start even during the pause after a run that had to wait.
    public func resume(ignoresPause: Bool = false) {
        state.withLock { state in
            guard state.task == nil, !state.isClosed else { return }
            if !ignoresPause, let until = state.pausedUntil, ContinuousClock.now < until { return }
            state.task = Task {
                let isBlocked = await DatabaseClient.service.run { await self.run() }
                self.state.withLock { state in
                    state.task = nil
                    state.pausedUntil = isBlocked ? .now + Self.pause : nil
                }
            }
        }
    }

    /// Waits until the form is final, or until the timeout. After the timeout, finalising continues in the background.
    public func finish(_ form: Form, within timeout: Duration) async throws -> Form {
        var form = form
        let deadline = ContinuousClock.now + timeout
        if form.isFinalising { resume(ignoresPause: true) }
        while form.isFinalising, .now < deadline {
            // Respects the pause, because each run opens a session even if another instance holds the lock.
            resume()
            try await Task.sleep(for: .milliseconds(20))
            form = try Form.read(await pool.query(Form.select + "\nWHERE f.id = \(form.id)").requireFirst())
        }
        return form
    }

    /// Waits for the run in progress, if there is one.
    public func waitUntilIdle() async {
        await state.withLock { $0.task }?.value
    }

    /// Cancels the run in progress. The next start of the service continues it.
    func close() async {
        let task = state.withLock { state in
            state.isClosed = true
            state.task?.cancel()
            return state.task
        }
        await task?.value
    }

    /// Finalises all pending forms. Returns true if some could not be completed, so that the next run starts only after
    /// a pause.
    private func run() async -> Bool {
        do {
            return try await clearing.withConnection { connection in
                guard try await Self.tryLock(on: connection) else { return true }
                var failed: Set<UUID> = []
                while case let forms = try await Self.pending(on: connection).filter({ !failed.contains($0.id) }),
                    !forms.isEmpty
                {
                    var unlinked: [UUID] = []
                    for form in forms {
                        do {
                            try await unlink(form.id, on: connection)
                            cache.forget(form.code)
                            unlinked.append(form.id)
                        } catch let error as PostgresError where error.kind == .server && !error.isConnectionLost {
                            // Only the statement failed, so the connection can still be used.
                            failed.insert(form.id)
                            warnOnce("Unlinking the answers of a form failed", about: "\(form.id)", error)
                        }
                    }
                    let cleared = try await clearing.clear(unlinked, timeout: Self.transactionTimeout, on: connection)
                    if !cleared.isEmpty, !(try await clearing.discardLog(on: connection)) {
                        noteOnce("The write-ahead log of final forms is not removed at once")
                    }
                    for id in cleared { try await Self.complete(id, on: connection) }
                    let waiting = unlinked.filter { !cleared.contains($0) }
                    guard waiting.isEmpty else {
                        for id in waiting { try await logReasons(for: id, on: connection) }
                        return true
                    }
                }
                if failed.isEmpty { loggedWarnings.withLock { $0 = [] } }
                return !failed.isEmpty
            }
        } catch let obstacle as TraceClearing.Obstacle {
            warnOnce("Forms cannot become final", about: obstacle.rawValue, nil)
            return true
        } catch {
            if !Task.isCancelled { warnOnce("Finalising forms failed", about: "the database", error) }
            return true
        }
    }

    /// Tries to take the lock that one instance holds until its connection ends.
    private static func tryLock(on connection: Connection) async throws -> Bool {
        try await connection.query("SELECT pg_try_advisory_lock(hashtext('afterword/finalise'))")
            .single().decode(Bool.self)
    }

    private static func pending(on connection: Connection) async throws -> [(id: UUID, code: String)] {
        try await connection.query(
            """
            SELECT f.id, f.code FROM form_state fs JOIN form f ON f.id = fs.form_id
            WHERE fs.anonymous AND fs.state = 'finalising' ORDER BY fs.finalising_since, f.id LIMIT 1000
            """
        ).map { row in
            let (id, code) = try row.decode(UUID.self, String.self)
            return (id, code)
        }
    }

    /// Replaces the form's submissions by copies without identifying data. Changes nothing if they have been replaced
    /// already.
    private func unlink(_ id: UUID, on connection: Connection) async throws {
        try await connection.transaction { connection in
            try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(id) FOR UPDATE")
            do {
                try await safeFilters.storeChoice(of: id, on: connection)
            } catch let error where error is PostgresError || Task.isCancelled {
                throw error
            } catch {
                // Without a stored choice the final form has no filters, but its answers can still be unlinked.
                warnOnce("Choosing the filters of a final form failed", about: "\(id)", error)
            }
            try await connection.query("SELECT unlink_submissions(\(id))")
        }
    }

    private static func complete(_ id: UUID, on connection: Connection) async throws {
        try await connection.transaction { connection in
            let changed = try await connection.execute(
                """
                UPDATE form_state SET state = 'final', finalising_since = NULL, revision = revision + 1
                WHERE form_id = \(id) AND state = 'finalising'
                """)
            if changed == 1 { try await connection.query(IngestStatement.notification(id)) }
        }
    }

    private func logReasons(for id: UUID, on connection: Connection) async throws {
        guard loggedWarnings.withLock({ $0.insert("wait \(id)").inserted }) else { return }
        let reasons = try await clearing.reasons(for: id, on: connection)
        let reason = reasons.isEmpty ? "another session" : reasons.joined(separator: "; ")
        logger.warning("A form cannot become final yet", metadata: ["form": "\(id)", "reason": "\(reason)"])
    }

    private func noteOnce(_ message: Logger.Message) {
        guard loggedNotes.withLock({ $0.insert("\(message)").inserted }) else { return }
        logger.notice(message, metadata: ["reason": "the database user may not run pg_switch_wal and CHECKPOINT"])
    }

    private func warnOnce(_ message: Logger.Message, about subject: String, _ error: (any Error)?) {
        guard loggedWarnings.withLock({ $0.insert("\(message) \(subject)").inserted }) else { return }
        let metadata = error.map { ["about": "\(subject)", "error": "\($0)"] } ?? ["about": "\(subject)"]
        logger.warning(message, metadata: metadata.mapValues { .string($0) })
    }
}
