/// A month of a host's meetings.
struct CalendarPage: PageModel {
    struct Weekday: TemplateValues {
        var short: String
        var long: String
    }

    struct Week: TemplateValues { var days: [Cell] }

    struct Cell: TemplateValues {
        var `class`: String
        var isToday = false
        /// Nil before the first and after the last day of the month.
        var day: Day?
    }

    struct Day: TemplateValues {
        /// `2026-11-21`
        var date: String
        var number: Int
        var weekday: String
        var meetings: [Meeting]
        /// The number of people who came, and the number of submissions. Nil if both are 0.
        var counts: String?
    }

    struct Meeting: TemplateValues {
        var id: String
        var time: String
        var title: String
        var isOpen: Bool
    }

    static let template = "calendar"
    var title: String
    var month: String
    /// The previous and the following month, such as `2026-10`.
    var previous: String
    var following: String
    /// Whether the page shows the current month.
    var isCurrent: Bool
    var isEmpty: Bool
    /// Whether the month has more meetings than the page lists.
    var isTruncated: Bool
    var weekdays: [Weekday]
    var weeks: [Week]
    /// Names the time zone.
    var zone: String
}
