import Domain
import Store

/// One row for each attendee of a meeting, as in the attendee list.
enum AttendanceTable {
    static let columns = [
        Column("series", "Series", .text),
        Column("round", "Round", .integer),
        Column("meeting", "Meeting", .text),
        Column("name", "Name", .text),
        Column("email", "E-mail", .text),
        Column("status", "Status", .text),
        Column("checked_in_at", "Checked in at", .instant),
    ]

    static func row(_ person: ListedPerson, at meeting: Meeting) -> [Cell] {
        [
            .text(meeting.series), .integer(meeting.round), .text(meeting.title), .text(person.name),
            .text(person.email), .text(person.status.rawValue), .instant(person.checkedInAt),
        ]
    }
}
