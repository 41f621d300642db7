import Domain
import Foundation
import Postgres
import StrictJSON

/// The end of a form's life, from which no way leads back.
extension Forms {
    /// How long after its close an anonymous form becomes final by itself.
    public static let daysUntilFinal = 7

    /// Makes a form final; one that takes answers is closed by this. An anonymous one is `finalising` when this returns,
    /// and `Finalising` takes it on from there. On one that is final, or on its way, it changes nothing.
    public func finish(
        meetingID: UUID, by accountID: UUID, if precondition: @escaping Precondition = { _ in }
    ) async throws -> Form {
        try await act(on: meetingID, "form.finish", by: accountID) { form, connection in
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

    /// What became of an anonymous form that was closed long enough.
    enum Finish: Sendable {
        case begun(code: String, meetingID: UUID, news: [FormEvent])
        /// Reopened, finished or deleted meanwhile.
        case notDue
    }

    /// The same by the clock, in the name of the series' owner, if it is due by what is known under its locks; in the
    /// trash too, where its traces are no better kept.
    static func finishByClock(_ id: UUID, on connection: Connection) async throws -> Finish {
        let found = try await connection.query(
            """
            SELECT f.meeting_id, s.owner_id FROM form f JOIN meeting m ON m.id = f.meeting_id
                JOIN series s ON s.id = m.series_id
            WHERE f.id = \(id) FOR UPDATE OF f
            """)
        guard let (meetingID, ownerID) = try found.first?.decode(UUID.self, UUID.self) else { return .notDue }
        try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(id) FOR UPDATE")
        let due = try await connection.query(
            "SELECT 1 FROM form_state WHERE form_id = \(id) AND state <> 'finalising' AND \(fragment: isDue)")
        guard !due.isEmpty else { return .notDue }
        let before = try await FormStatus.lock(id, on: connection)
        let form = try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
        try await finish(form, on: connection)
        try await Audit.record(
            "form.finish", of: id, by: ownerID, detail: .object([.init("automatic", .bool(true))]), on: connection)
        // What goes into the trash is told to have closed then.
        let news = try await before?.settle(on: connection) ?? []
        return .begun(code: form.code, meetingID: meetingID, news: news)
    }

    /// Under its locks. A form that is not anonymous keeps its answers as they are and is final at once.
    private static func finish(_ form: Form, on connection: Connection) async throws {
        try await connection.execute(
            "UPDATE form SET revision = revision + 1, updated_at = now() WHERE id = \(form.id)")
        try await connection.execute(
            """
            UPDATE form_state SET state = CASE WHEN anonymous THEN 'finalising' ELSE 'final' END,
                closed_at = coalesce(closed_at, \(form.now)), revision = revision + 1,
                finalising_since = CASE WHEN anonymous THEN \(form.now)::timestamptz END
            WHERE form_id = \(form.id)
            """)
        // In the trash nobody is told of it, and it is settled here.
        try await FormStatus.showRest(of: form.id, on: connection)
    }

    /// Of anonymous forms in `form_state`, by the index `form_state_finishes`, whose condition this is: those on their
    /// way, and those that are to become final now.
    static let isDue: Statement = """
        anonymous AND state IN ('open', 'closed', 'finalising') AND (state <> 'open' OR closes_at IS NOT NULL)
            AND \(fragment: closedAt) <= (now() AT TIME ZONE 'UTC') - make_interval(days => \(Int32(daysUntilFinal)))
        """

    /// The expression of that index.
    static let closedAt: Statement = """
        CASE state WHEN 'finalising' THEN '-infinity'::timestamp
            WHEN 'closed' THEN closed_at AT TIME ZONE 'UTC'
            ELSE (closes_at AT TIME ZONE 'UTC') + make_interval(mins => grace_minutes) END
        """
}
