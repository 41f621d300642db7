import Foundation

/// The facts about a meeting for the tables of meetings, questions and summary.
struct MeetingContext: Sendable, Equatable {
    var seriesID: UUID
    var series: String
    var round: Int
    var meetingID: UUID
    var meeting: String
    var host: String
    /// The day of the start in the meeting's time zone, such as `2026-11-21`. Nil if the meeting has no date.
    var localDate: String?
    var startsAt: Date?
    var endsAt: Date?
    var timeZone: String
    var headcount: Int?
    var attended: Int
    var late: Int
    var absent: Int
    var submissions: Int
    var responseRate: Double?

    /// The columns from the series to the start, with which these tables begin.
    static let leadingColumns = [
        Column("series_id", "Series ID", .identifier),
        Column("series", "Series", .text),
        Column("round", "Round", .integer),
        Column("meeting_id", "Meeting ID", .identifier),
        Column("meeting", "Meeting", .text),
        Column("host", "Host", .text),
        Column("date", "Date", .date),
        Column("starts_at", "Starts at", .instant),
    ]

    var leadingCells: [Cell] {
        [
            .uuid(seriesID), .text(series), .integer(round), .uuid(meetingID), .text(meeting), .text(host),
            .day(localDate), .instant(startsAt),
        ]
    }
}
