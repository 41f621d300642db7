import Domain
import Foundation
import Postgres

/// One person on a meeting's list.
public struct Attendee: Sendable {
    public var id: UUID
    public var name: String
    public var email: String?
    public var status: AttendanceStatus
    public var checkedInAt: Date?
    /// What shows this person their own attendance; there is none without an address.
    public var code: String?
    /// Where it stands in its list.
    public var sortKey: String

    /// What a host says of a new one.
    public struct Draft: Sendable {
        public var name: PersonName
        public var email: EmailAddress?
        /// `expected`, `present` or `late`.
        public var status: AttendanceStatus

        public init(name: PersonName, email: EmailAddress?, status: AttendanceStatus) {
            self.name = name
            self.email = email
            self.status = status
        }
    }

    /// What a host changes: nil leaves a part as it is.
    public struct Change: Sendable {
        public enum Email: Sendable {
            case keep
            case clear
            case set(EmailAddress)
        }

        public var name: PersonName?
        public var email: Email
        public var status: AttendanceStatus?

        public init(name: PersonName?, email: Email, status: AttendanceStatus?) {
            self.name = name
            self.email = email
            self.status = status
        }
    }
}

extension Attendee {
    /// `attendee a` of `meeting m`; a person who did not come is absent once it has ended.
    static let status: Statement = """
        CASE WHEN a.status = 'expected' AND m.ends_at <= clock_timestamp() THEN 'absent' ELSE a.status END
        """

    /// By name without regard to case; the first forty characters, so that a cursor stays short.
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
