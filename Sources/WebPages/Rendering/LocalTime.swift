import Foundation
import StrictJSON

/// Parses and formats times in one time zone.
struct LocalTime {
    let zone: TimeZone

    init(zone: TimeZone) { self.zone = zone }

    /// UTC if the name is nil or unknown.
    init(_ name: String?) { zone = name.flatMap { TimeZone(identifier: $0) } ?? .gmt }

    /// The zone's identifier, with the common name `UTC` for `GMT`.
    var name: String { zone.identifier == "GMT" ? "UTC" : zone.identifier }

    var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }

    /// The value of a `datetime-local` input: `2026-11-21T09:30`. Seconds are added unless they are 0.
    func field(_ date: Date) -> String {
        let parts = calendar.dateComponents([.hour, .minute, .second], from: date)
        let time = String(format: "T%02d:%02d", parts.hour ?? 0, parts.minute ?? 0)
        return day(date) + time + (parts.second == 0 ? "" : String(format: ":%02d", parts.second ?? 0))
    }

    /// `2026-11-21`
    func day(_ date: Date) -> String {
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }

    /// Parses the value of a `datetime-local` input. Nil for any other text, and for a time that does not exist.
    func parse(_ text: String) -> Date? {
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?/) else {
            return nil
        }
        let numbers = [match.1, match.2, match.3, match.4, match.5, match.6 ?? "0"].compactMap { Int($0) }
        // The expression also matches digits of other scripts, which `Int` does not parse.
        guard numbers.count == 6 else { return nil }
        let parts = DateComponents(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers[5])
        guard parts.isValidDate(in: calendar) else { return nil }
        return calendar.date(from: parts)
    }

    /// The typed end of a meeting. Without one, a typed start means an hour.
    func end(_ end: String, after start: String) -> String {
        guard end.isEmpty, let startsAt = parse(start) else { return end }
        return field(startsAt.addingTimeInterval(3_600))
    }

    static func startOfMinute(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 / 60).rounded(.down) * 60)
    }

    /// A typed time as a value of an API request. An invalid time is sent as typed, so that the API reports it.
    func json(_ text: String) -> JSONValue { .string(parse(text).map(RFC3339.format) ?? text) }

    /// The date with the time of day, in the language's format.
    func text(_ date: Date, in language: Language, date length: Date.FormatStyle.DateStyle = .abbreviated) -> String {
        date.formatted(Date.FormatStyle(date: length, time: .shortened, locale: language.locale, timeZone: zone))
    }

    /// The date with the time of day to the second, in the language's format.
    func exactText(_ date: Date, in language: Language) -> String {
        date.formatted(Date.FormatStyle(date: .abbreviated, time: .standard, locale: language.locale, timeZone: zone))
    }

    /// `09:30`
    func timeText(_ date: Date, in language: Language) -> String {
        date.formatted(Date.FormatStyle(date: .omitted, time: .shortened, locale: language.locale, timeZone: zone))
    }

    /// `21 Nov 2026`
    func dayText(_ date: Date, in language: Language) -> String {
        date.formatted(Date.FormatStyle(date: .abbreviated, time: .omitted, locale: language.locale, timeZone: zone))
    }

    /// The text of a day such as `2026-11-21`. Nil for any other format.
    static func dayText(_ day: String, in language: Language) -> String? {
        let localTime = LocalTime(zone: .gmt)
        return localTime.parse(day + "T00:00").map { localTime.dayText($0, in: language) }
    }

    /// `Thu 3 December`, with the year unless it is the current one.
    func weekdayText(_ date: Date, in language: Language, now: Date) -> String {
        // In Korean, the abbreviated month puts the weekday in parentheses: `12월 3일 (목)`.
        let month: Date.FormatStyle.Symbol.Month = language == .korean ? .abbreviated : .wide
        let style = Date.FormatStyle(locale: language.locale, timeZone: zone).weekday(.abbreviated).day().month(month)
        let isThisYear = calendar.component(.year, from: date) == calendar.component(.year, from: now)
        let text = date.formatted(isThisYear ? style : style.year())
        // With a year, English would put a comma after the weekday, which it does not have without one.
        return language == .english ? text.replacing(",", with: "") : text
    }
}

/// Decides which times of a list are shown with the name of their time zone: those in a zone other than the usual one.
struct ZoneNames {
    /// The zone whose times are shown without a name. Nil if the list has several zones and the reader's is unknown.
    private let unnamedZone: TimeZone?

    /// - Parameters:
    ///   - readerZone: The reader's time zone, if it is known.
    ///   - zones: The time zones of the list.
    init(_ readerZone: String? = nil, among zones: [String]) {
        let distinctZones = Set(zones)
        unnamedZone = (readerZone ?? (distinctZones.count == 1 ? distinctZones.first : nil)).map { LocalTime($0).zone }
    }

    /// `Asia/Seoul`. Nil if the zone has the same offset as the unnamed zone at this time.
    func name(_ zone: String, at date: Date) -> String? {
        let offset = LocalTime(zone).zone.secondsFromGMT(for: date)
        return unnamedZone?.secondsFromGMT(for: date) == offset ? nil : zone.replacing("_", with: " ")
    }

    /// A time, followed by its zone if `name` is not nil.
    func text(_ date: Date, in zone: String, _ language: Language) -> String {
        LocalTime(zone).text(date, in: language) + suffix(zone, date)
    }

    func dayText(_ date: Date, in zone: String, _ language: Language) -> String {
        LocalTime(zone).dayText(date, in: language) + suffix(zone, date)
    }

    private func suffix(_ zone: String, _ date: Date) -> String { name(zone, at: date).map { " (\($0))" } ?? "" }
}
