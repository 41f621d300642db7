/// A day in a time zone, as a label of a chart.
public struct LocalDay: Sendable, Hashable {
    public var year: Int
    public var month: Int
    public var day: Int

    /// Parses `2026-11-05`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-").map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2], 1...12 ~= month else {
            return nil
        }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// `5 Nov`, or `5 Nov 2026`.
    public func label(withYear: Bool) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(day) \(months[month - 1])" + (withYear ? " \(year)" : "")
    }

    /// Whether the days are in several years, so that labels without the year could be equal.
    public static func areOfSeveralYears(_ days: [LocalDay]) -> Bool {
        guard let first = days.first else { return false }
        return days.contains { $0.year != first.year }
    }
}

/// A time in a time zone, as a label of a chart.
public struct LocalMoment: Sendable, Hashable {
    public var day: LocalDay
    /// `14:00`; nil for a whole day.
    public var time: String?
    /// The seconds by which the local time is behind UTC.
    public var offset: Int

    public init(day: LocalDay, time: String?, offset: Int) {
        self.day = day
        self.time = time
        self.offset = offset
    }

    /// `5 Nov` or `5 Nov 14:00`; with the year if there are several, and with the offset, `2 Nov 01:00 -05:00`, if the
    /// end of daylight saving time makes a label occur twice.
    public static func labels(of moments: [LocalMoment]) -> [String] {
        let hasYear = LocalDay.areOfSeveralYears(moments.map(\.day))
        let labels = moments.map { moment in
            moment.day.label(withYear: hasYear) + (moment.time.map { " " + $0 } ?? "")
        }
        let often = Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +)
        return zip(labels, moments).map { label, moment in
            often[label] == 1 ? label : "\(label) \(moment.offsetName)"
        }
    }

    private var offsetName: String {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = abs(offset) / 60
        return (offset < 0 ? "-" : "+") + digits(minutes / 60) + ":" + digits(minutes % 60)
    }
}
