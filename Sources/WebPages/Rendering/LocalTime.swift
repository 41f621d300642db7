import Contract
import Foundation
import StrictJSON

/// Times as people in one place read and type them.
struct LocalTime {
    let zone: TimeZone

    init(zone: TimeZone) { self.zone = zone }

    init(_ name: String?) { zone = name.flatMap { TimeZone(identifier: $0) } ?? .gmt }

    /// As people know it.
    var name: String { zone.identifier == "GMT" ? "UTC" : zone.identifier }

    var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }

    /// As a field for a local time has it: `2026-11-21T09:30`, with seconds where there are any.
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

    /// What such a field was filled in with; nil where it is no time.
    func read(_ text: String) -> Date? {
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?/) else {
            return nil
        }
        let numbers = [match.1, match.2, match.3, match.4, match.5, match.6 ?? "0"].compactMap { Int($0) }
        let parts = DateComponents(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers[5])
        guard parts.isValidDate(in: calendar) else { return nil }
        return calendar.date(from: parts)
    }

    /// For a body of the API, which says itself what is wrong with a text that is no time.
    func json(_ text: String) -> JSONValue { .string(read(text).map(RFC3339.format) ?? text) }

    func text(_ date: Date, in language: Language, date length: Date.FormatStyle.DateStyle = .abbreviated) -> String {
        date.formatted(style(language, length, .shortened))
    }

    func dayText(_ date: Date, in language: Language) -> String {
        date.formatted(style(language, .abbreviated, .omitted))
    }

    /// Of a day that is given as `2026-11-21`; nil for any other text.
    static func dayText(_ day: String, in language: Language) -> String? {
        let clock = LocalTime(zone: .gmt)
        return clock.read(day + "T00:00").map { clock.dayText($0, in: language) }
    }

    /// `Thu 3 December`, with the year where it is not this one.
    func weekdayText(_ date: Date, in language: Language, now: Date) -> String {
        // Of months in words Korean has a pattern that sets the weekday apart only without a year.
        let month: Date.FormatStyle.Symbol.Month = language == .korean ? .abbreviated : .wide
        var style = Date.FormatStyle(locale: language.locale).weekday(.abbreviated).day().month(month)
        if calendar.component(.year, from: date) != calendar.component(.year, from: now) { style = style.year() }
        style.timeZone = zone
        return date.formatted(style)
    }

    private func style(
        _ language: Language, _ date: Date.FormatStyle.DateStyle, _ time: Date.FormatStyle.TimeStyle
    ) -> Date.FormatStyle {
        var style = Date.FormatStyle(date: date, time: time, locale: language.locale)
        style.timeZone = zone
        return style
    }
}

extension Language {
    var locale: Locale { Locale(identifier: self == .korean ? "ko_KR" : "en_GB") }
}

/// Names the time zones of those times in a list that go by another clock than the rest of it.
struct ZoneNames {
    /// Nil where the times of a list differ and nobody said which zone is their own.
    private let usual: TimeZone?

    /// - Parameter own: the reader's, if they have said it.
    init(_ own: String? = nil, among zones: [String]) {
        let known = Set(zones)
        usual = (own ?? (known.count == 1 ? known.first : nil)).map { LocalTime($0).zone }
    }

    /// `Asia/Seoul`, or nil where the clock is the usual one.
    func name(_ zone: String, at date: Date) -> String? {
        let offset = LocalTime(zone).zone.secondsFromGMT(for: date)
        return usual?.secondsFromGMT(for: date) == offset ? nil : zone.replacing("_", with: " ")
    }

    /// A time with its zone, where that has to be said.
    func text(_ date: Date, in zone: String, _ language: Language) -> String {
        LocalTime(zone).text(date, in: language) + suffix(zone, date)
    }

    func dayText(_ date: Date, in zone: String, _ language: Language) -> String {
        LocalTime(zone).dayText(date, in: language) + suffix(zone, date)
    }

    private func suffix(_ zone: String, _ date: Date) -> String { name(zone, at: date).map { " (\($0))" } ?? "" }
}
