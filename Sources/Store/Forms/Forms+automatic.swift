import Domain
import Foundation
import Postgres
import StrictJSON

/// Drafts that publish themselves.
extension Forms {
    /// Notes when the drafts of these meetings publish themselves: at `opens`, else at the meeting's start. One that is
    /// empty, or would count from a time that its meeting does not have, does not.
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

    /// What would have happened in the trash does not happen by itself on the way out of it.
    static func forgetMissed(_ formIDs: [UUID], on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE form SET publishes_at = NULL WHERE id = ANY (\(formIDs)) AND version = 0 AND publishes_at <= now()
            """)
    }

    /// What became of a draft whose moment had come.
    enum Publication: Sendable {
        case published(code: String, meetingID: UUID, news: [FormEvent])
        /// A rule forbids it; it is left alone until its host or its meeting changes.
        case refused(Problem)
        /// Published, moved, emptied, turned off or in the trash meanwhile.
        case notDue
    }

    /// Publishes a draft in the name of the series' owner, if its moment has come by what is known under its locks.
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
        return .published(code: form.code, meetingID: meetingID, news: try await before.settle(on: connection))
    }
}
