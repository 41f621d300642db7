/// One row for each meeting, with its times, attendance and number of submissions.
enum MeetingsTable {
    static let columns =
        MeetingContext.leadingColumns + [
            Column("ends_at", "Ends at", .instant),
            Column("time_zone", "Time zone", .text),
            Column("headcount", "Head count", .integer),
            Column("attended", "Attended", .integer),
            Column("late", "Late", .integer),
            Column("absent", "Absent", .integer),
            Column("submissions", "Submissions", .integer),
            Column("response_rate", "Response rate", .real),
        ]

    static func row(_ meeting: MeetingContext) -> [Cell] {
        meeting.leadingCells + [
            .instant(meeting.endsAt), .text(meeting.timeZone), .integer(meeting.headcount), .integer(meeting.attended),
            .integer(meeting.late), .integer(meeting.absent), .integer(meeting.submissions),
            .real(meeting.responseRate),
        ]
    }
}
