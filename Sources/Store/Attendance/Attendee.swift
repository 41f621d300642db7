import Domain
import Foundation
import Postgres

/// A person on a meeting's list.
public struct Attendee: Sendable {
    public var id: UUID
    public var name: String
    public var email: String?
    public var status: AttendanceStatus
    public var checkedInAt: Date?
    /// The personal code, with which the person reads their own attendance; nil for a person without an address.
    public var code: String?
    /// The value by which the list is sorted.
    public var sortKey: String

    /// The status of `attendee a` of `meeting m`: an expected person is absent once the meeting has ended.
    static let status: Statement = """
        CASE WHEN a.status = 'expected' AND m.ends_at <= clock_timestamp() THEN 'absent' ELSE a.status END
        """

    /// The name in lower case. It is limited to 40 characters, because cursors contain it.
    static let sortKey: Statement = "lower(left(a.name, 40))"

    static let select: Statement = """
        SELECT a.id, a.name, a.email::text, \(fragment: status), a.checked_in_at, p.code, \(fragment: sortKey)
        FROM listed_attendee a JOIN meeting m ON m.id = a.meeting_id
            LEFT JOIN person p ON p.series_id = m.series_id AND p.email = a.email
        """

    static func read(_ row: Row) throws -> Attendee {
        var columns = Columns(row)
        return Attendee(
            id: try columns.next(), name: try columns.next(), email: try columns.next(),
            status: AttendanceStatus(rawValue: try columns.next()) ?? .expected, checkedInAt: try columns.next(),
            code: try columns.next(), sortKey: try columns.next())
    }
}
