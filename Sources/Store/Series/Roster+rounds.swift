import Domain
import Foundation
import Postgres
import StrictJSON

/// Effects of the roster on rounds that have not ended. Members are added to the attendee lists of these rounds with
/// the status `expected`. Attendance that was already recorded does not change.
extension Roster {
    /// The maximum number of members of a series.
    static let maxMembers = 2000
    /// The maximum number of entries that one call adds to attendee lists: members times rounds.
    static let maxExpected = 200_000

    static let full = Problem(
        invalid: "/members", code: "roster-full", "A series has at most \(maxMembers) members.")

    /// A condition: whether `attendee a` is still expected in `meeting m`. An undated round never ends.
    static let stillExpected: Statement = """
        a.status = 'expected' AND a.removed_at IS NULL AND m.deleted_at IS NULL AND (m.ends_at IS NULL OR m.ends_at > statement_timestamp())
        """

    /// Adds the people whose address is not on the roster yet. Also adds them, with the status `expected`, to the lists
    /// of the dated rounds that have not ended. Each person gets a personal code. Returns the ids of the new members.
    /// The series must be locked.
    static func add(
        _ drafts: [MemberDraft], in seriesID: UUID, on connection: Connection
    ) async throws -> [UUID] {
        try await Person.ensure(drafts.map(\.email), in: seriesID, on: connection)
        let added = try await connection.query(
            """
            INSERT INTO member (id, series_id, name, email)
            SELECT u.id, \(seriesID), u.name, u.email
            FROM unnest(\(drafts.map { _ in UUIDv7.make() }), \(drafts.map(\.name.text)),
                \(drafts.map(\.email.text))::citext[]) WITH ORDINALITY AS u (id, name, email, position)
            ORDER BY u.position
            ON CONFLICT (series_id, email) DO NOTHING RETURNING id
            """
        ).map { row -> UUID in try row.decode(UUID.self) }
        let members = try await connection.query("SELECT count(*) FROM member WHERE series_id = \(seriesID)")
        guard try members.single().decode(Int.self) <= maxMembers else { throw full }
        try await expect(added, in: seriesID, on: connection)
        return added
    }

    /// Adds members, with the status `expected`, to the lists of the dated rounds that have not ended. Members who are
    /// already on such a list are no longer walk-ins.
    private static func expect(_ members: [UUID], in seriesID: UUID, on connection: Connection) async throws {
        guard !members.isEmpty else { return }
        let meetings = try await connection.query(
            """
            SELECT id FROM meeting WHERE series_id = \(seriesID) AND deleted_at IS NULL AND ends_at > clock_timestamp()
            ORDER BY id
            """
        ).map { row -> UUID in try row.decode(UUID.self) }
        try await expect(
            members, in: meetings,
            orFault: Fault(
                .invalid, at: "/members", code: "too-many",
                "These people would be expected in \(meetings.count) rounds: add fewer people at a time."),
            on: connection)
        try await connection.execute(
            """
            UPDATE attendee SET walk_in = false
            WHERE meeting_id = ANY (\(meetings)) AND walk_in
                AND email IN (SELECT b.email FROM member b WHERE b.id = ANY (\(members)))
            """)
    }

    /// Adds members, with the status `expected`, to the lists of these rounds, including members who were removed from
    /// a list. Throws the fault if there are more entries than one call may add.
    static func expect(
        _ members: [UUID], in meetings: [UUID], orFault fault: Fault, on connection: Connection
    ) async throws {
        guard members.count * meetings.count <= maxExpected else { throw Problem([fault]) }
        // Each statement adds a few thousand entries, always for complete rounds.
        let roundsPerStatement = max(1, 5_000 / members.count)
        for start in stride(from: 0, to: meetings.count, by: roundsPerStatement) {
            let pairs = meetings[start..<min(start + roundsPerStatement, meetings.count)].flatMap { meeting in
                members.map { (meeting: meeting, member: $0) }
            }
            try await connection.execute(
                """
                INSERT INTO attendee AS a (id, meeting_id, name, email)
                SELECT u.id, u.meeting_id, b.name, b.email
                FROM unnest(\(pairs.map { _ in UUIDv7.make() }), \(pairs.map(\.meeting)), \(pairs.map(\.member)))
                    AS u (id, meeting_id, member_id)
                JOIN member b ON b.id = u.member_id
                ON CONFLICT (meeting_id, email) DO UPDATE SET name = excluded.name, status = excluded.status,
                    checked_in_at = NULL, removed_at = NULL, walk_in = false
                WHERE a.removed_at IS NOT NULL
                """)
        }
    }

    /// Removes the people with these addresses from the lists where they are still expected.
    static func removeExpected(_ emails: [String], in seriesID: UUID, on connection: Connection) async throws {
        let meetings = try await connection.query(
            """
            SELECT DISTINCT m.id FROM meeting m JOIN attendee a ON a.meeting_id = m.id
            WHERE m.series_id = \(seriesID) AND a.email = ANY (\(emails)::citext[]) AND \(fragment: stillExpected)
            """
        ).map { row -> UUID in try row.decode(UUID.self) }
        _ = try await Attendees.remove(
            "a.status = 'expected' AND a.email = ANY (\(emails)::citext[])", from: meetings, on: connection)
    }

    /// Changes the name or address on the lists where the member is still expected. If the new address is already on a
    /// list, the entry with the old address is removed, so that each person has one entry.
    static func changeExpected(
        _ email: String, to name: String?, _ newEmail: String?, in seriesID: UUID, on connection: Connection
    ) async throws {
        // If an entry with the new address was removed from a list, it is restored and replaces the entry with the old
        // address.
        try await connection.execute(
            """
            UPDATE attendee AS o SET name = coalesce(\(name), a.name), status = 'expected', checked_in_at = NULL,
                removed_at = NULL
            FROM attendee a, meeting m
            WHERE m.series_id = \(seriesID) AND m.id = a.meeting_id AND a.email = \(email)::citext
                AND \(fragment: stillExpected) AND o.meeting_id = a.meeting_id AND o.email = \(newEmail)::citext
                AND o.removed_at IS NOT NULL
            """)
        try await connection.execute(
            """
            UPDATE attendee AS a SET name = coalesce(\(name), a.name), email = coalesce(\(newEmail)::citext, a.email)
            FROM meeting m
            WHERE m.series_id = \(seriesID) AND m.id = a.meeting_id AND a.email = \(email)::citext
                AND \(fragment: stillExpected)
                AND NOT EXISTS (SELECT FROM attendee o WHERE o.meeting_id = a.meeting_id AND o.id <> a.id
                    AND o.email = \(newEmail)::citext)
            """)
        guard let newEmail, EmailAddress(newEmail) != EmailAddress(email) else { return }
        try await removeExpected([email], in: seriesID, on: connection)
    }
}
