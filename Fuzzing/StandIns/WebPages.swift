/// Of a participant's answers, the word that the builder of forms uses too.
enum FormSheet {
    static let other = "other"
}

/// Of the page of a month, the names of its columns.
enum CalendarPage {
    struct Weekday {
        let short: String
        let long: String
    }
}
