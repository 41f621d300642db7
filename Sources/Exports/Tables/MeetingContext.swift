import Foundation

/// The facts about a meeting that every table contains.
public struct MeetingContext: Sendable, Equatable {
    public var seriesId: UUID
    public var series: String
    public var round: Int
    public var meetingId: UUID
    public var meeting: String
    public var host: String
    /// The day of the start in the meeting's time zone, such as `2026-11-21`. Nil if the meeting has no date.
    public var localDate: String?
    public var startsAt: Date?
    public var endsAt: Date?
    public var timeZone: String
    public var headcount: Int?
    public var attended: Int
    public var late: Int
    public var absent: Int
    public var submissions: Int
    public var responseRate: Double?

    public init(
        seriesId: UUID, series: String, round: Int, meetingId: UUID, meeting: String, host: String, localDate: String?,
        startsAt: Date?, endsAt: Date?, timeZone: String, headcount: Int?, attended: Int, late: Int, absent: Int,
        submissions: Int, responseRate: Double?
    ) {
        self.seriesId = seriesId
        self.series = series
        self.round = round
        self.meetingId = meetingId
        self.meeting = meeting
        self.host = host
        self.localDate = localDate
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.timeZone = timeZone
        self.headcount = headcount
        self.attended = attended
        self.late = late
        self.absent = absent
        self.submissions = submissions
        self.responseRate = responseRate
    }
}

extension MeetingContext {
    /// The columns from the series to the start, with which three tables begin.
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
            .uuid(seriesId), .text(series), .integer(round), .uuid(meetingId), .text(meeting), .text(host),
            .day(localDate), .instant(startsAt),
        ]
    }
}
