import Domain
import Foundation
import Postgres
import StrictJSON

/// Automatic publication of drafts.
extension Forms {
    /// Stores when the drafts of these meetings will be published: at `opens`, or at the meeting's start if `opens` is
    /// not set. A draft is not published automatically if `autoPublish` is not set, the draft is empty, or its time is
    /// relative to an undated meeting.
    static func schedulePublication(ofDraftsIn meetingIDs: [UUID], on connection: Connection) async throws {
        // The times are read first, because Citus does not compute them in an UPDATE: adding an interval to a time
        // depends on the session's time zone.
        let rows = try await connection.query(
            """
            SELECT f.id,
                CASE WHEN f.definition->'autoPublish' = 'true' AND f.definition->'questions' <> '[]' THEN
                    CASE jsonb_typeof(f.definition->'opens')
                        WHEN 'string' THEN (f.definition->>'opens')::timestamptz
                        WHEN 'object' THEN
                            CASE f.definition->'opens'->>'from' WHEN 'start' THEN m.starts_at ELSE m.ends_at END
                            + make_interval(mins => (f.definition->'opens'->>'minutes')::int)
                        ELSE m.starts_at
                    END
                END
            FROM form f JOIN meeting m ON m.id = f.meeting_id
            WHERE f.version = 0 AND f.meeting_id = ANY (\(meetingIDs)) ORDER BY f.id
            """)
        let times = try rows.map { row in try row.decode(UUID.self, Date?.self) }
        guard !times.isEmpty else { return }
        try await connection.execute(
            """
            UPDATE form AS f SET publishes_at = u.at
            FROM unnest(\(times.map(\.0)), \(times.map(\.1))) AS u (id, at) WHERE f.id = u.id AND f.version = 0
            """)
    }

    /// Cancels publications that became due while the forms were in the trash, so that restoring a form does not
    /// publish it.
    static func cancelMissedPublications(_ formIDs: [UUID], on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE form SET publishes_at = NULL WHERE id = ANY (\(formIDs)) AND version = 0 AND publishes_at <= now()
            """)
    }

    /// The result of publishing a due draft, or of finishing an anonymous form `daysUntilFinal` days after its close.
    enum AutomaticChange: Sendable {
        case done(code: String, meetingID: UUID, events: [FormEvent])
        /// A rule forbids the publication. It is not tried again until a host changes the draft or its meeting.
        case refused(Problem)
        /// The form was changed or deleted in the meantime.
        case notDue
    }

    /// Publishes a draft on behalf of the series' owner, if it is still due when checked under its locks.
    static func publishIfDue(_ id: UUID, on connection: Connection) async throws -> AutomaticChange {
        let locked = try await connection.query(
            "SELECT meeting_id FROM form WHERE id = \(id) AND version = 0 FOR UPDATE")
        guard let meetingID = try locked.first?.decode(UUID.self),
            let before = try await FormStatus.lock(id, on: connection)
        else { return .notDue }
        try await schedulePublication(ofDraftsIn: [meetingID], on: connection)
        let due = try await connection.query(
            """
            SELECT s.owner_id FROM form f JOIN meeting m ON m.id = f.meeting_id JOIN series s ON s.id = m.series_id
                JOIN account a ON a.id = s.owner_id
            WHERE f.id = \(id) AND f.publishes_at <= clock_timestamp() AND m.deleted_at IS NULL
                AND a.disabled_at IS NULL
            """)
        guard let ownerID = try due.first?.decode(UUID.self) else { return .notDue }
        let form = try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
        do {
            try form.checkPublishable()
            try await checkLabels(of: form.definition, in: form, on: connection)
        } catch let problem as Problem {
            try await connection.execute("UPDATE form SET publishes_at = NULL WHERE id = \(id)")
            return .refused(problem)
        }
        try await publish(form, on: connection)
        try await Audit.record(
            "form.publish", of: id, by: ownerID, detail: .object([.init("automatic", .bool(true))]), on: connection)
        return .done(code: form.code, meetingID: meetingID, events: try await before.settle(on: connection))
    }
}
