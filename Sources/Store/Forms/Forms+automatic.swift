import Domain
import Foundation
import Postgres
import StrictJSON

/// Automatic publication of drafts.
extension Forms {
    /// Stores when the drafts of these meetings are published: at `opens`, or else at the meeting's start. An empty
    /// draft, or one with times relative to an undated meeting, is not published automatically.
    static func schedule(of meetingIDs: [UUID], on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE form AS f SET publishes_at =
                CASE WHEN f.definition->'autoPublish' = 'true' AND f.definition->'questions' <> '[]' THEN
                    CASE jsonb_typeof(f.definition->'opens')
                        WHEN 'string' THEN (f.definition->>'opens')::timestamptz
                        WHEN 'object' THEN
                            CASE f.definition->'opens'->>'from' WHEN 'start' THEN m.starts_at ELSE m.ends_at END
                            + make_interval(mins => (f.definition->'opens'->>'minutes')::int)
                        ELSE m.starts_at
                    END
                END
            FROM meeting m
            WHERE m.id = f.meeting_id AND f.version = 0 AND f.meeting_id = ANY (\(meetingIDs))
            """)
    }

    /// Cancels publications that became due in the trash: they do not happen when the form is restored.
    static func forgetMissed(_ formIDs: [UUID], on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE form SET publishes_at = NULL WHERE id = ANY (\(formIDs)) AND version = 0 AND publishes_at <= now()
            """)
    }

    /// The result of publishing a due draft.
    enum Publication: Sendable {
        case published(code: String, meetingID: UUID, events: [FormEvent])
        /// A rule forbids it; it is not tried again until the host changes it or its meeting.
        case refused(Problem)
        /// It has been published, moved, emptied, turned off or moved to the trash in the meantime.
        case notDue
    }

    /// Publishes a draft in the name of the series' owner, if it is due when checked under its locks.
    static func publishByClock(_ id: UUID, on connection: Connection) async throws -> Publication {
        let locked = try await connection.query(
            "SELECT meeting_id FROM form WHERE id = \(id) AND version = 0 FOR UPDATE")
        guard let meetingID = try locked.first?.decode(UUID.self),
            let before = try await FormStatus.lock(id, on: connection)
        else { return .notDue }
        try await schedule(of: [meetingID], on: connection)
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
        return .published(code: form.code, meetingID: meetingID, events: try await before.settle(on: connection))
    }
}
