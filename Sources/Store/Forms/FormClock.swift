import Domain
import Foundation
import Logging
import Postgres
import StrictJSON
import Synchronization

/// What time does to forms: drafts publish themselves, published ones open and close, anonymous ones become final, and
/// others are told of it.
///
/// Each look finds by an index what is due and judges it again under its locks, a form a transaction. So nothing is
/// lost while no service runs, and of several instances one does it.
public final class FormClock: Sendable {
    /// Something that was told of the form of a meeting.
    public struct Notification: Sendable, Equatable {
        public var meetingID: UUID
        public var event: FormEvent
    }

    /// As many are looked at in a turn; the rest a turn later.
    private static let most = 1_000

    private let pool: Pool
    private let cache: FormCache
    private let finalising: Finalising
    private let logger: Logger
    /// What failed when it was last looked at: said once, however often it is tried.
    private let troubled = Mutex<Set<UUID>>([])

    init(pool: Pool, cache: FormCache, finalising: Finalising, logger: Logger) {
        self.pool = pool
        self.cache = cache
        self.finalising = finalising
        self.logger = logger
    }

    /// Does what is due, and returns what was told. A form that fails does not stop the others; throws where the
    /// database cannot be asked.
    @discardableResult
    public func tick() async throws -> [Notification] {
        var notified: [Notification] = []
        for id in try await ids(Self.dueDrafts) { notified += try await look(at: id) { try await publish(id) } }
        for id in try await ids(Self.dueStates) { notified += try await look(at: id) { try await notify(id) } }
        let finishing = try await ids(Self.dueFinals)
        for id in finishing { notified += try await look(at: id) { try await finish(id) } }
        // Which may take its time, and nothing else waits for it.
        if try await pool.query(Self.onTheirWay).first != nil { finalising.goOn() }
        return notified
    }

    /// Lets out what closes by the clock do, as a look does, and nothing else: for programs that read where no service
    /// looks.
    public func settle() async throws {
        let held = try await pool.query(
            """
            SELECT form_id FROM form_state WHERE \(fragment: Self.isDueState) AND minimum_group > 1 ORDER BY form_id
            """)
        for row in held {
            let id: UUID = try row.decode(UUID.self)
            _ = try await look(at: id) {
                try await pool.transaction { connection in
                    try await Self.limitWaiting(on: connection)
                    if try await FormStatus.lock(id, on: connection)?.state == .closed {
                        try await FormStatus.showRest(of: id, on: connection)
                    }
                    return []
                }
            }
        }
    }

    static let dueDrafts: Statement = """
        SELECT f.id FROM form f JOIN meeting m ON m.id = f.meeting_id JOIN series s ON s.id = m.series_id
            JOIN account a ON a.id = s.owner_id
        WHERE f.version = 0 AND f.publishes_at <= now() AND m.deleted_at IS NULL AND a.disabled_at IS NULL
        ORDER BY f.publishes_at LIMIT \(most)
        """

    static let dueStates: Statement = """
        SELECT form_id FROM form_state WHERE \(fragment: isDueState) ORDER BY \(fragment: dueAt) LIMIT \(most)
        """

    /// By the index `form_state_due`, whose condition this is.
    private static let isDueState: Statement = """
        state = 'open' AND NOT trashed AND told <> 'closed' AND (told <> 'open' OR closes_at IS NOT NULL)
            AND \(fragment: dueAt) <= now() AT TIME ZONE 'UTC'
        """

    /// By the index `form_state_finishes`; none that is on its way, since that waits for as long as somebody looks on, and
    /// its rows may be locked for long.
    static let dueFinals: Statement = """
        SELECT form_id FROM form_state WHERE \(fragment: Forms.isDue) AND state <> 'finalising' ORDER BY \(fragment: Forms.closedAt) LIMIT \(most)
        """

    static let onTheirWay: Statement = """
        SELECT 1 FROM form_state WHERE \(fragment: Forms.isDue) AND state = 'finalising' LIMIT 1
        """

    /// The expression of that index.
    private static let dueAt: Statement = """
        CASE WHEN told = 'open' THEN (closes_at AT TIME ZONE 'UTC') + make_interval(mins => grace_minutes)
            ELSE coalesce(opens_at AT TIME ZONE 'UTC', '-infinity') END
        """

    private func ids(_ statement: Statement) async throws -> [UUID] {
        try await pool.query(statement).map { row in try row.decode(UUID.self) }
    }

    private func publish(_ id: UUID) async throws -> [Notification] {
        let publication = try await pool.transaction { connection in
            try await Self.limitWaiting(on: connection)
            return try await Forms.publishByClock(id, on: connection)
        }
        switch publication {
        case .notDue: return []
        case .published(let code, let meetingID, let events):
            cache.forget(code)
            return events.map { Notification(meetingID: meetingID, event: $0) }
        case .refused(let problem):
            logger.warning(
                "A form could not publish itself",
                metadata: ["form": "\(id)", "reason": "\(problem.faults.map(\.code).joined(separator: " "))"])
            return []
        }
    }

    private func finish(_ id: UUID) async throws -> [Notification] {
        let finish = try await pool.transaction { connection in
            try await Self.limitWaiting(on: connection)
            return try await Forms.finishByClock(id, on: connection)
        }
        guard case .begun(let code, let meetingID, let events) = finish else { return [] }
        cache.forget(code)
        return events.map { Notification(meetingID: meetingID, event: $0) }
    }

    private func notify(_ id: UUID) async throws -> [Notification] {
        try await pool.transaction { connection in
            try await Self.limitWaiting(on: connection)
            guard let form = try await FormStatus.lock(id, on: connection) else { return [] }
            let events = form.eventsByClock
            guard form.state.notified != form.notified else { return [] }
            // The revision moves too: an instance that missed the notification finds out by it.
            try await connection.execute(
                """
                UPDATE form_state SET told = \(form.state.notified.rawValue), revision = revision + 1
                WHERE form_id = \(id)
                """)
            if form.state == .closed { try await FormStatus.showRest(of: id, on: connection) }
            try await FormStatus.notify([(form, events)], on: connection)
            try await connection.query(IngestStatement.notification(id))
            return events.map { Notification(meetingID: form.meetingID, event: $0) }
        }
    }

    /// A form that somebody holds for long is looked at again in the next turn.
    private static func limitWaiting(on connection: Connection) async throws {
        try await connection.execute("SET LOCAL lock_timeout = '2s'")
    }

    private func look(at id: UUID, _ body: () async throws -> [Notification]) async throws -> [Notification] {
        do {
            let notified = try await body()
            troubled.withLock { _ = $0.remove(id) }
            return notified
        } catch let error as PostgresError where error.isConnectionLost || error.kind != .server {
            throw error
        } catch {
            if troubled.withLock({ $0.insert(id).inserted }) {
                logger.warning(
                    "The clock could not look at a form", metadata: ["form": "\(id)", "error": "\(error)"])
            }
            return []
        }
    }
}
