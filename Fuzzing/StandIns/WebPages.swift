/// The part of a participant's page that the form builder also uses.
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
