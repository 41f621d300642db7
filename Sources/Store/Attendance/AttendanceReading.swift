import Domain
import Foundation
import Postgres

/// A person on a meeting's list, as exported.
public struct ListedPerson: Sendable {
    public var meetingID: UUID
    public var name: String
    public var email: String?
    public var status: AttendanceStatus
    public var checkedInAt: Date?

    static func read(_ row: Row) throws -> ListedPerson {
        let (meetingID, name, email, status, at) = try row.decode(
            UUID.self, String.self, String?.self, String.self, Date?.self)
        return ListedPerson(
            meetingID: meetingID, name: name, email: email, status: AttendanceStatus(rawValue: status) ?? .expected,
            checkedInAt: at)
    }
}

extension ExportReader {
    /// Reads the attendee lists of these meetings in chunks, from one snapshot and in constant memory. The rows are
    /// ordered by series and round, and within a meeting in the order of its list. People who were removed from a list
    /// are left out.
    public func attendance(
        of meetings: [UUID], isolation: isolated (any Actor)? = #isolation,
        _ consume: ([ListedPerson]) async throws -> Void
    ) async throws {
        let statement: Statement = """
            SELECT a.meeting_id, a.name, a.email::text, \(fragment: Attendee.status), a.checked_in_at
            FROM listed_attendee a JOIN meeting m ON m.id = a.meeting_id
            WHERE m.id = ANY (\(meetings)) AND m.deleted_at IS NULL
            ORDER BY m.series_id, m.round, \(fragment: Attendee.sortKey), a.id
            """
        try await source.stream { connection in
            for try await rows in connection.rows(statement) {
                try await consume(rows.map(ListedPerson.read))
            }
        }
    }
}
