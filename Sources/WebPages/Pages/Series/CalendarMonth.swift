import Foundation

/// A calendar month in one time zone.
struct CalendarMonth {
    struct Day {
        /// `2026-11-21`
        let text: String
        let number: Int
        /// Noon of the day.
        let noon: Date
    }

    private let (year, month): (Int, Int)
    private let localTime: LocalTime

    private init(_ year: Int, _ month: Int, _ localTime: LocalTime) {
        (self.year, self.month, self.localTime) = (year, month, localTime)
    }

    /// Parses `2026-11`. Nil for any other text.
    init?(_ text: String, in localTime: LocalTime) {
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)/), let year = Int(match.1), let month = Int(match.2),
            1...12 ~= month, 1000...9000 ~= year
        else { return nil }
        self.init(year, month, localTime)
    }

    init(of date: Date, in localTime: LocalTime) {
        let parts = localTime.calendar.dateComponents([.year, .month], from: date)
        self.init(parts.year ?? 1970, parts.month ?? 1, localTime)
    }

    var text: String { String(format: "%04d-%02d", year, month) }
    var firstDay: String { text + "-01" }
    var previous: CalendarMonth { month == 1 ? Self(year - 1, 12, localTime) : Self(year, month - 1, localTime) }
    var following: CalendarMonth { month == 12 ? Self(year + 1, 1, localTime) : Self(year, month + 1, localTime) }

    /// The first instant of the month.
    var start: Date {
        let first = localTime.calendar.date(from: DateComponents(year: year, month: month, day: 1))
        return first.map { localTime.calendar.startOfDay(for: $0) } ?? .distantPast
    }

    func title(_ language: Language) -> String {
        start.formatted(Date.FormatStyle(locale: language.locale, timeZone: localTime.zone).year().month(.wide))
    }

    /// The weeks of the month as rows of seven days. Days of the neighbouring months are nil.
    ///
    /// - Parameter first: The weekday with which a week begins. 1 is Sunday.
    func weeks(beginning first: Int) -> [[Day?]] {
        let calendar = localTime.calendar
        let count = calendar.range(of: .day, in: .month, for: start)?.count ?? 0
        let leadingDays = (calendar.component(.weekday, from: start) - first + 7) % 7
        var days: [Day?] = Array(repeating: nil, count: leadingDays)
        for number in 1...max(count, 1) {
            let noon = calendar.date(from: DateComponents(year: year, month: month, day: number, hour: 12)) ?? start
            let date = text + String(format: "-%02d", number)
            days.append(Day(text: date, number: number, noon: noon))
        }
        days += Array(repeating: nil, count: (7 - days.count % 7) % 7)
        return stride(from: 0, to: days.count, by: 7).map { Array(days[$0..<($0 + 7)]) }
    }

    /// The names of the weekdays, from the one with which a week begins.
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
