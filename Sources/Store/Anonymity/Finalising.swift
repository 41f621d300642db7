import Domain
import Foundation
import Logging
import Postgres
import Synchronization

/// Removes everything that links the answers of anonymous forms to people, once the forms are `finalising`.
///
/// It has four steps, each committed before the next, so that an interrupted run continues later: the state refuses
/// further writes (`Forms.finish`); copies without identifying data replace the answers; the remains of the old rows
/// are cleared, which waits for transactions that still see them; then the form is `final`. One instance at a time does
/// this, on a connection of its own, and nothing waits for it.
public final class Finalising: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// The earliest time of the next run, if forms wait for other transactions.
        var pausedUntil: ContinuousClock.Instant?
        var isClosed = false
    }

    /// How long one run waits for old snapshots, and how long it pauses afterwards.
    private static let patience: Duration = .seconds(2)
    private static let pause: Duration = .seconds(5)

    private let pool: Pool
    private let cache: FormCache
    private let safe: SafeFilters
    private let logger: Logger
    private let clearing: TraceClearing
    private let state = Mutex(State())
    /// The logged messages about waiting forms; each is logged once.
    private let said = Mutex<Set<String>>([])

    /// - Parameter connecting: As the user of the database URL, without the service's role.
    init(pool: Pool, connecting: PostgresConfiguration, cache: FormCache, safe: SafeFilters, logger: Logger) {
        self.pool = pool
        self.cache = cache
        self.safe = safe
        self.logger = logger
        clearing = TraceClearing(connecting: connecting)
    }

    /// Continues in the background with all finalising forms; does nothing while a run is in progress.
    ///
    /// - Parameter ignoresPause: Also during the pause after a run that had to wait.
    public func resume(ignoresPause: Bool = false) {
        state.withLock { state in
            guard state.task == nil, !state.isClosed else { return }
            if !ignoresPause, let until = state.pausedUntil, ContinuousClock.now < until { return }
            state.task = Task {
                let isBlocked = await self.work()
                self.state.withLock { state in
                    state.task = nil
                    state.pausedUntil = isBlocked ? .now + Self.pause : nil
                }
            }
        }
    }

    /// Waits until the form is final or the time is up; in the latter case the form clock continues.
    public func finish(_ form: Form, within limit: Duration) async throws -> Form {
        var form = form
        let deadline = ContinuousClock.now + limit
        if form.isFinalising { resume(ignoresPause: true) }
        while form.isFinalising, .now < deadline {
            // Not during the pause: if another instance holds the lock, each attempt opens a session.
            resume()
            try await Task.sleep(for: .milliseconds(20))
            form = try Form.read(await pool.query(Form.select + "\nWHERE f.id = \(form.id)").found())
        }
        return form
    }

    /// Returns when no run is in progress.
    public func idle() async {
        await state.withLock { $0.task }?.value
    }

    /// Stops at once; the next start continues.
    func close() async {
        let task = state.withLock { state in
            state.isClosed = true
            state.task?.cancel()
            return state.task
        }
        await task?.value
    }

    /// Returns whether some forms have to wait for other transactions.
    private func work() async -> Bool {
        do {
            return try await clearing.withConnection { connection in
                guard try await Self.takeTurn(on: connection) else { return true }
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
                        } catch let error as PostgresError where error.isUsableStill {
                            failed.insert(form.id)
                            say("The answers of a form could not be unlinked", about: "\(form.id)", error)
                        }
                    }
                    let cleared = try await clearing.clear(unlinked, patience: Self.patience, on: connection)
                    for id in cleared { try await Self.complete(id, on: connection) }
                    let left = unlinked.filter { !cleared.contains($0) }
                    guard left.isEmpty else {
                        for id in left { try await explain(id, on: connection) }
                        return true
                    }
                }
                if failed.isEmpty { said.withLock { $0 = [] } }
                return !failed.isEmpty
            }
        } catch let obstacle as TraceClearing.Obstacle {
            say("Forms cannot become final", about: obstacle.sentence, nil)
            return true
        } catch {
            if !Task.isCancelled { say("The forms that are to become final wait", about: "the database", error) }
            return true
        }
    }

    /// Takes the lock that one instance holds until its connection ends.
    private static func takeTurn(on connection: Connection) async throws -> Bool {
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

    /// Changes nothing if the form is already unlinked.
    private func unlink(_ id: UUID, on connection: Connection) async throws {
        try await connection.transaction { connection in
            try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(id) FOR UPDATE")
            do {
                try await safe.settle(id, on: connection)
            } catch let error as PostgresError {
                throw error
            } catch {
                // Without this choice the form has no filters; unlinking its answers does not depend on it.
                say("What a final form may be filtered by could not be chosen", about: "\(id)", error)
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

    private func explain(_ id: UUID, on connection: Connection) async throws {
        guard said.withLock({ $0.insert("wait \(id)").inserted }) else { return }
        let reasons = try await clearing.reasons(for: id, on: connection)
        let because = reasons.isEmpty ? "another session" : reasons.joined(separator: "; ")
        logger.warning("A form waits to become final", metadata: ["form": "\(id)", "for": "\(because)"])
    }

    private func say(_ sentence: Logger.Message, about what: String, _ error: (any Error)?) {
        guard said.withLock({ $0.insert("\(sentence) \(what)").inserted }) else { return }
        let reason = error.map { ["about": "\(what)", "error": "\($0)"] } ?? ["about": "\(what)"]
        logger.warning(sentence, metadata: reason.mapValues { .string($0) })
    }
}

extension PostgresError {
    /// Whether only the statement failed, so that the connection is still usable.
    fileprivate var isUsableStill: Bool { kind == .server && !isConnectionLost }
}
