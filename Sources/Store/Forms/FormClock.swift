import Domain
import Foundation
import Logging
import Postgres
import StrictJSON
import Synchronization

/// Performs the scheduled changes of forms: publishes drafts, opens and closes published forms, makes anonymous forms
/// final, and records the events.
///
/// Each tick finds due forms by an index. It checks each form again under its locks, in a separate transaction. Changes
/// that become due while no service is running are therefore performed later, and only one of several instances handles
/// a form.
public final class FormClock: Sendable {
    /// An event that was recorded for the form of a meeting.
    public struct RecordedEvent: Sendable, Equatable {
        public var meetingID: UUID
        public var event: FormEvent
    }

    /// The maximum number of forms for each kind of change per tick. The rest follow in the next tick.
    private static let batchSize = 1_000
    /// The maximum number of drafts of one owner that are published at once.
    private static let maxDraftsOfAnOwner = 10

    private let pool: Pool
    private let cache: FormCache
    private let finalising: Finalising
    private let logger: Logger
    /// The forms whose last update failed. A failure is logged only once, however often the update is retried.
    private let failing = Mutex<Set<UUID>>([])

    init(pool: Pool, cache: FormCache, finalising: Finalising, logger: Logger) {
        self.pool = pool
        self.cache = cache
        self.finalising = finalising
        self.logger = logger
    }

    /// Updates the due forms, and returns the recorded events. If the update of a form fails, the others are still
    /// updated. Throws only if the database can't be queried.
    @discardableResult
    public func tick() async throws -> [RecordedEvent] {
        // Publishing may take long, and no open or closed form waits for it.
        var events = try await notifyDue()
        for id in try await ids(Self.dueDrafts) {
            events += apply(try await change(id) { try await Forms.publishIfDue(id, on: $0) }, to: id)
        }
        events += try await notifyDue()
        for id in try await ids(Self.dueFinals) {
            events += apply(try await change(id) { try await Forms.finishIfDue(id, on: $0) }, to: id)
        }
        // Finalising may take long, and nothing else waits for it.
        if try await pool.query(Self.finalisingForms).first != nil { finalising.resume() }
        return events
    }

    private func notifyDue() async throws -> [RecordedEvent] {
        var events: [RecordedEvent] = []
        for id in try await ids(Self.dueStates) {
            events += try await change(id) { try await Self.notify(id, on: $0) } ?? []
        }
        return events
    }

    /// Releases the remaining counts of forms whose closing time has passed. Unlike `tick`, does nothing else. Commands
    /// that read results call it, because the service may not be running then.
    public func settle() async throws {
        let rows = try await pool.query(
            """
            SELECT form_id FROM form_state WHERE \(fragment: Self.isDueState) AND minimum_group > 1 ORDER BY form_id
            """)
        for row in rows {
            let id: UUID = try row.decode(UUID.self)
            _ = try await change(id) { connection in
                if try await FormStatus.lock(id, on: connection)?.state == .closed {
                    try await FormStatus.releaseRest(of: id, on: connection)
                }
            }
        }
    }

    /// The owners take turns, so that the drafts of one do not delay those of others.
    static let dueDrafts: Statement = """
        SELECT d.id FROM (
            SELECT f.id, f.publishes_at, row_number() OVER (PARTITION BY s.owner_id ORDER BY f.publishes_at) AS turn
            FROM form f JOIN meeting m ON m.id = f.meeting_id JOIN series s ON s.id = m.series_id
                JOIN account a ON a.id = s.owner_id
            WHERE f.version = 0 AND f.publishes_at <= now() AND m.deleted_at IS NULL AND a.disabled_at IS NULL) d
        WHERE d.turn <= \(maxDraftsOfAnOwner) ORDER BY d.turn, d.publishes_at LIMIT \(batchSize)
        """

    static let dueStates: Statement = """
        SELECT form_id FROM form_state WHERE \(fragment: isDueState) ORDER BY \(fragment: dueAt) LIMIT \(batchSize)
        """

    /// The condition of the index `form_state_due`, and the condition that the form is due.
    private static let isDueState: Statement = """
        state = 'open' AND NOT trashed AND notified <> 'closed' AND (notified <> 'open' OR closes_at IS NOT NULL)
            AND \(fragment: dueAt) <= now() AT TIME ZONE 'UTC'
        """

    /// Uses the index `form_state_finishes`. Forms that are already `finalising` are left out, because their rows may
    /// be locked for a long time.
    static let dueFinals: Statement = """
        SELECT form_id FROM form_state WHERE \(fragment: Forms.isDue) AND state <> 'finalising' ORDER BY \(fragment: Forms.closedAt) LIMIT \(batchSize)
        """

    static let finalisingForms: Statement = """
        SELECT 1 FROM form_state WHERE \(fragment: Forms.isDue) AND state = 'finalising' LIMIT 1
        """

    /// The expression of the index `form_state_due`.
    private static let dueAt: Statement = """
        CASE WHEN notified = 'open' THEN (closes_at AT TIME ZONE 'UTC') + make_interval(mins => grace_minutes)
            ELSE coalesce(opens_at AT TIME ZONE 'UTC', '-infinity') END
        """

    private func ids(_ statement: Statement) async throws -> [UUID] {
        try await pool.query(statement).map { row in try row.decode(UUID.self) }
    }

    /// Removes a changed form from the cache and returns its events. Logs a refused publication.
    private func apply(_ change: Forms.AutomaticChange?, to id: UUID) -> [RecordedEvent] {
        switch change {
        case .notDue, nil: return []
        case .done(let code, let meetingID, let events):
            cache.forget(code)
            return events.map { RecordedEvent(meetingID: meetingID, event: $0) }
        case .refused(let problem):
            logger.warning(
                "Automatic publication of a form failed",
                metadata: ["form": "\(id)", "reason": "\(problem.faults.map(\.code).joined(separator: " "))"])
            return []
        }
    }

    private static func notify(_ id: UUID, on connection: Connection) async throws -> [RecordedEvent] {
        guard let form = try await FormStatus.lock(id, on: connection) else { return [] }
        let events = form.eventsByClock
        guard form.state.notified != form.notified else { return [] }
        // The revision changes too, so that an instance that missed the notification notices the change.
        try await connection.execute(
            """
            UPDATE form_state SET notified = \(form.state.notified.rawValue), revision = revision + 1
            WHERE form_id = \(id)
            """)
        if form.state == .closed { try await FormStatus.releaseRest(of: id, on: connection) }
        try await FormStatus.notify([(form, events)], on: connection)
        try await connection.query(IngestStatement.notification(id))
        return events.map { RecordedEvent(meetingID: form.meetingID, event: $0) }
    }

    /// Changes a form in a transaction. If the transaction fails, logs the failure and returns nil. Throws only if the
    /// database cannot be queried.
    private func change<T: Sendable>(
        _ id: UUID, _ body: @Sendable (Connection) async throws -> T
    ) async throws -> T? {
        do {
            let result = try await pool.transaction { connection in
                // A form that is locked for longer is tried again in the next tick.
                try await connection.execute("SET LOCAL lock_timeout = '2s'")
                return try await body(connection)
            }
            failing.withLock { _ = $0.remove(id) }
            return result
        } catch let error as PostgresError where error.isConnectionLost || error.kind != .server {
            throw error
        } catch {
            if failing.withLock({ $0.insert(id).inserted }) {
                logger.warning(
                    "Updating a due form failed", metadata: ["form": "\(id)", "error": "\(error)"])
            }
            return nil
        }
    }
}
