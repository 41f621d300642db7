import Domain
import Foundation
import Postgres
import StrictJSON

/// Makes forms final, which can't be undone.
extension Forms {
    /// The number of days after which a closed anonymous form becomes final automatically.
    public static let daysUntilFinal = 7

    /// Makes a form final, which also closes an open form. An anonymous form is `finalising` when this returns, and
    /// `Finalising` completes the change. Does nothing if the form is already final or finalising.
    public func finish(
        meetingID: UUID, by accountID: UUID, if precondition: @escaping Precondition = { _ in }
    ) async throws -> Form {
        try await perform(on: meetingID, "form.finish", by: accountID) { form, connection in
            try precondition(form)
            switch form.life.stored {
            case .draft:
                throw Problem(.formNotOpen, "Publish the form first: a draft has no answers that could become final.")
            case .finalising, .final: return false
            case .open, .closed: break
            }
            try await Self.finish(form, on: connection)
            return true
        }
    }

    /// Finishes a form on behalf of the series' owner, if it is still due when checked under its locks. Forms in the
    /// trash are included, because their identifying data must not remain longer either.
    static func finishIfDue(_ id: UUID, on connection: Connection) async throws -> AutomaticChange {
        let locked = try await connection.query(
            """
            SELECT f.meeting_id, s.owner_id FROM form f JOIN meeting m ON m.id = f.meeting_id
                JOIN series s ON s.id = m.series_id
            WHERE f.id = \(id) FOR UPDATE OF f
            """)
        guard let (meetingID, ownerID) = try locked.first?.decode(UUID.self, UUID.self) else { return .notDue }
        try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(id) FOR UPDATE")
        let due = try await connection.query(
            "SELECT 1 FROM form_state WHERE form_id = \(id) AND state <> 'finalising' AND \(fragment: isDue)")
        guard !due.isEmpty else { return .notDue }
        let before = try await FormStatus.lock(id, on: connection)
        let form = try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
        try await finish(form, on: connection)
        try await Audit.record(
            "form.finish", of: id, by: ownerID, detail: .object([.init("automatic", .bool(true))]), on: connection)
        // For a form in the trash, the close was recorded when the meeting was moved there.
        let events = try await before?.settle(on: connection) ?? []
        return .done(code: form.code, meetingID: meetingID, events: events)
    }

    /// Finishes a form under its locks. A form that is not anonymous becomes final immediately, and its answers remain
    /// unchanged. The time of an earlier close stays, because the retention period starts then.
    static func finish(_ form: Form, on connection: Connection) async throws {
        try await connection.execute(
            "UPDATE form SET revision = revision + 1, updated_at = now() WHERE id = \(form.id)")
        let closedAt = form.life.endsAt.map { min($0, form.now) } ?? form.now
        try await connection.execute(
            """
            UPDATE form_state SET state = CASE WHEN anonymous THEN 'finalising' ELSE 'final' END,
                closed_at = coalesce(closed_at, \(closedAt)), revision = revision + 1,
                finalising_since = CASE WHEN anonymous THEN \(form.now)::timestamptz END
            WHERE form_id = \(form.id)
            """)
        // `FormStatus.settle` is not called for a form in the trash, so the remaining counts are released here.
        try await FormStatus.releaseRest(of: form.id, on: connection)
    }

    /// A condition on `form_state`: whether an anonymous form is finalising, or due to become final. It matches the
    /// index `form_state_finishes`.
    static let isDue: Statement = """
        anonymous AND state IN ('open', 'closed', 'finalising') AND (state <> 'open' OR closes_at IS NOT NULL)
            AND \(fragment: closedAt) <= (now() AT TIME ZONE 'UTC') - make_interval(days => \(Int32(daysUntilFinal)))
        """

    /// The time of the close, as in the index `form_state_finishes`; `-infinity` for a form that is already finalising.
    static let closedAt: Statement = """
        CASE state WHEN 'finalising' THEN '-infinity'::timestamp
            WHEN 'closed' THEN closed_at AT TIME ZONE 'UTC'
            ELSE (closes_at AT TIME ZONE 'UTC') + make_interval(mins => grace_minutes) END
        """
}
