import Cryptography
import Domain
import Foundation
import Postgres

/// Meetings of hosts: made with their series and form, listed, moved to the trash.
public struct Meetings: Sendable {
    let pool: Pool
    let keys: KeyRing
    let zones: TimeZones
    let cache: FormCache

    /// A first meeting with its series and its form; `render` makes the answer that a repetition gets too.
    public func create(
        _ draft: MeetingDraft, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (Meeting) throws -> [UInt8]
    ) async throws -> Idempotent {
        try await zones.require(draft.timeZone)
        let keyID = keys.newest
        return try await pool.once(request) { connection in
            let seriesID = UUIDv7.make()
            let hostID = principal.account.id
            try await connection.execute(
                """
                INSERT INTO series (id, owner_id, title, rounds, code)
                VALUES (\(seriesID), \(hostID), \(draft.title), 1, \(FormCode.make(13)))
                """)
            let id = UUIDv7.make()
            try await Self.insert(draft, id: id, seriesID: seriesID, hostID: hostID, round: 1, on: connection)
            try await Form.insert(
                FormDefinition(title: draft.title, questions: draft.questions), meetingID: id, keyID: keyID,
                on: connection)
            try await Audit.record("meeting.create", of: id, by: hostID, on: connection)
            let row = try await connection.query(Meeting.select() + "\nWHERE m.id = \(id)").single()
            return try render(Meeting.read(row))
        }
    }

    /// The meeting if the caller may see it and has at least that access; the trash only when asked for.
    public func require(
        _ id: UUID, by principal: Principal, atLeast access: Access = .viewer, inTrash: Bool = false
    ) async throws -> Meeting {
        let rows = try await pool.query(
            Meeting.select(", \(fragment: Access.role(of: principal))")
                + "\nWHERE m.id = \(id) AND (m.deleted_at IS NOT NULL) = \(inTrash)")
        let row = try rows.found()
        try Access.check(try row.decode(String?.self, at: Meeting.columnCount), atLeast: access)
        return try Meeting.read(row)
    }

    /// 404 unless the caller may see the series.
    public func requireSeries(_ id: UUID, by principal: Principal) async throws {
        let rows = try await pool.query(
            """
            SELECT \(fragment: Access.role(of: principal)) FROM series s
            WHERE s.id = \(id) AND s.deleted_at IS NULL
            """)
        try Access.check(try rows.found().decode(String?.self), atLeast: .viewer)
    }

    /// Into the trash, where it blocks nobody and its form takes nothing.
    public func trash(_ id: UUID, by principal: Principal) async throws {
        let meeting = try await require(id, by: principal, atLeast: .editor)
        try await pool.transaction { connection in
            let trashed = try await connection.execute(
                """
                UPDATE meeting SET deleted_at = now(), revision = revision + 1
                WHERE id = \(id) AND deleted_at IS NULL
                """)
            guard trashed == 1 else { return }
            try await Audit.record("meeting.trash", of: id, by: principal.account.id, on: connection)
            try await connection.execute(
                "UPDATE form_state SET trashed = true, revision = revision + 1 WHERE form_id = \(meeting.form.id)")
        }
        cache.forget(meeting.form.code)
    }

    static func insert(
        _ draft: MeetingDraft, id: UUID, seriesID: UUID, hostID: UUID, round: Int, on connection: Connection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO meeting (id, series_id, host_id, round, title, starts_at, ends_at, time_zone, place, headcount,
                late_after_minutes, allow_overlap, check_in_code)
            VALUES (\(id), \(seriesID), \(hostID), \(round), \(draft.title), \(draft.startsAt), \(draft.endsAt),
                \(draft.timeZone), \(draft.place), \(draft.headcount), \(draft.lateAfterMinutes), \(draft.allowOverlap),
                \(FormCode.make(13)))
            """)
    }
}
