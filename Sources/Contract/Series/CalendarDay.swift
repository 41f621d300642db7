/// A local day with at least one meeting.
public struct CalendarDay: Codable, Sendable, Equatable, Identifiable {
    /// The day, such as `2026-11-21`.
    public var date: String
    public var meetings: Int
    public var formsOpen: Int
    public var attended: Int
    public var submissions: Int

    public init(date: String, meetings: Int, formsOpen: Int, attended: Int, submissions: Int) {
        self.date = date
        self.meetings = meetings
        self.formsOpen = formsOpen
        self.attended = attended
        self.submissions = submissions
    }

    public var id: String { date }
}

/// The days of a period that have meetings.
public struct CalendarDays: Codable, Sendable, Equatable {
    public var items: [CalendarDay]

    public init(items: [CalendarDay]) {
        self.items = items
    }
}
