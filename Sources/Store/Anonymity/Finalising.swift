import Domain
import Foundation
import Logging
import Postgres
import Synchronization

/// Takes away what joins the answers of anonymous forms to those who gave them, once the forms are `finalising`.
///
/// Four steps, each committed before the next, so that whatever ends this in between, the next look goes on: the state
/// says so and lets nobody write (`Forms.finish`); the answers are replaced by copies without a trace; what is left of the
/// old rows is cleared away, which has to wait for whoever still sees them; and only then the form is `final`. One
/// instance at a time does it, on a connection of its own, and nothing waits for it.
public final class Finalising: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// What waits for somebody is not looked at again before.
        var pausedUntil: ContinuousClock.Instant?
        var isClosed = false
    }

    /// As long is waited for old snapshots in one go, and as long is paused then.
    private static let patience: Duration = .seconds(2)
    private static let pause: Duration = .seconds(5)

    private let pool: Pool
    private let cache: FormCache
    private let safe: SafeFilters
    private let logger: Logger
    private let clearing: TraceClearing
    private let state = Mutex(State())
    /// What was said of the forms that wait; each sentence once.
    private let said = Mutex<Set<String>>([])

    /// - Parameter connecting: as the user of the database URL, without the service's role.
    init(pool: Pool, connecting: PostgresConfiguration, cache: FormCache, safe: SafeFilters, logger: Logger) {
        self.pool = pool
        self.cache = cache
        self.safe = safe
        self.logger = logger
        clearing = TraceClearing(connecting: connecting)
    }

    /// Goes on in the background with all forms that are on their way; without effect while that is being done.
    ///
    /// - Parameter impatiently: also in the pause after somebody was waited for.
    public func goOn(impatiently: Bool = false) {
        state.withLock { state in
            guard state.task == nil, !state.isClosed else { return }
            if !impatiently, let until = state.pausedUntil, ContinuousClock.now < until { return }
            state.task = Task {
                let isBlocked = await self.work()
                self.state.withLock { state in
                    state.task = nil
                    state.pausedUntil = isBlocked ? .now + Self.pause : nil
                }
            }
        }
    }

    /// Returns when a form has become final, or when the time is over: then the clock goes on with it.
    public func finish(_ form: Form, within limit: Duration) async throws -> Form {
        var form = form
        let deadline = ContinuousClock.now + limit
        if form.isFinalising { goOn(impatiently: true) }
        while form.isFinalising, .now < deadline {
            // Not impatiently: where another instance has the turn, each attempt is a new session.
            goOn()
            try await Task.sleep(for: .milliseconds(20))
            form = try Form.read(await pool.query(Form.select + "\nWHERE f.id = \(form.id)").found())
        }
        return form
    }

    /// Returns when nothing is being done in the background.
    public func idle() async {
        await state.withLock { $0.task }?.value
    }

    /// Stops at once; what was begun goes on at the next start.
    func close() async {
        let task = state.withLock { state in
            state.isClosed = true
            state.task?.cancel()
            return state.task
        }
        await task?.value
    }

    /// Whether something is left that has to wait for others.
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

    /// Of all instances the one that is first, until its connection ends.
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

    /// Changes nothing on one that is unlinked already.
    private func unlink(_ id: UUID, on connection: Connection) async throws {
        try await connection.transaction { connection in
            try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(id) FOR UPDATE")
            do {
                try await safe.settle(id, on: connection)
            } catch let error as PostgresError {
                throw error
            } catch {
                // Without a choice the form has no filters; that its answers are unlinked does not depend on it.
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
    /// The statement failed, the connection did not.
    fileprivate var isUsableStill: Bool { kind == .server && !isConnectionLost }
}
