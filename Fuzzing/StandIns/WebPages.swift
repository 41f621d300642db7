/// The word of a participant's answers that the form builder uses too.
enum FormSheet {
    static let other = "other"
}

/// The column names of a month's page.
enum CalendarPage {
    struct Weekday {
        let short: String
        let long: String
    }
}
