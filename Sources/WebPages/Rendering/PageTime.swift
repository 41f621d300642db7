import Foundation

/// A point in time for a `<time>` element.
struct PageTime: TemplateValues {
    /// The time in ISO 8601, for the attribute `datetime`.
    var iso: String
    var text: String
}

extension PageRequest {
    func pageTime(_ date: Date) -> PageTime { PageTime(iso: date.formatted(.iso8601), text: time(date)) }

    /// A point in time as text, in UTC. A script converts it to the reader's time zone.
    func time(_ date: Date) -> String { texts.time(date) }
}

extension PageTexts {
    /// A point in time as text, in UTC.
    func time(_ date: Date) -> String {
        LocalTime(zone: .gmt).text(date, in: language, date: .long) + " UTC"
    }
}
