import Foundation

/// A calendar month in one time zone.
struct CalendarMonth {
    struct Day {
        /// `2026-11-21`
        let text: String
        let number: Int
        let start: Date
        let place: LocalTime

        func weekday(_ language: Language) -> String {
            var style = Date.FormatStyle(locale: language.locale).weekday(.wide)
            style.timeZone = place.zone
            return start.formatted(style)
        }
    }

    private let (year, month): (Int, Int)
    private let place: LocalTime

    private init(_ year: Int, _ month: Int, _ place: LocalTime) {
        (self.year, self.month, self.place) = (year, month, place)
    }

    /// Parses `2026-11`.
    init?(_ text: String, in place: LocalTime) {
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)/), let year = Int(match.1), let month = Int(match.2),
            1...12 ~= month, 1000...9000 ~= year
        else { return nil }
        self.init(year, month, place)
    }

    init(of date: Date, in place: LocalTime) {
        let parts = place.calendar.dateComponents([.year, .month], from: date)
        self.init(parts.year ?? 1970, parts.month ?? 1, place)
    }

    var text: String { String(format: "%04d-%02d", year, month) }
    var firstDay: String { text + "-01" }
    var previous: CalendarMonth { month == 1 ? Self(year - 1, 12, place) : Self(year, month - 1, place) }
    var following: CalendarMonth { month == 12 ? Self(year + 1, 1, place) : Self(year, month + 1, place) }

    /// Its first instant.
    var start: Date {
        let first = place.calendar.date(from: DateComponents(year: year, month: month, day: 1))
        return first.map { place.calendar.startOfDay(for: $0) } ?? .distantPast
    }

    func title(_ language: Language) -> String {
        var style = Date.FormatStyle(locale: language.locale).year().month(.wide)
        style.timeZone = place.zone
        return start.formatted(style)
    }

    /// Rows of seven days, nil before the first and after the last day of the month; the weekday 1 is Sunday.
    func weeks(beginning first: Int) -> [[Day?]] {
        let calendar = place.calendar
        let count = calendar.range(of: .day, in: .month, for: start)?.count ?? 0
        let blank = (calendar.component(.weekday, from: start) - first + 7) % 7
        var days: [Day?] = Array(repeating: nil, count: blank)
        for number in 1...max(count, 1) {
            let day = calendar.date(from: DateComponents(year: year, month: month, day: number, hour: 12)) ?? start
            days.append(Day(text: text + String(format: "-%02d", number), number: number, start: day, place: place))
        }
        days += Array(repeating: nil, count: (7 - days.count % 7) % 7)
        return stride(from: 0, to: days.count, by: 7).map { Array(days[$0..<($0 + 7)]) }
    }

    static func weekdays(beginning first: Int, _ language: Language) -> [CalendarPage.Weekday] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.locale = language.locale
        let (short, long) = (calendar.shortStandaloneWeekdaySymbols, calendar.standaloneWeekdaySymbols)
        return (0..<7).map {
            let index = ($0 + first - 1) % 7
            return .init(short: short[index], long: long[index])
        }
    }
}
