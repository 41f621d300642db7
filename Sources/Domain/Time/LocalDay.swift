/// A day in a time zone, for the labels of a chart.
public struct LocalDay: Sendable, Hashable {
    public var year: Int
    public var month: Int
    public var day: Int

    /// Parses a text such as `2026-11-05`. Returns nil unless it consists of three numbers and the month exists.
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

    /// Whether the days are in different years, so that labels without the year could be equal.
    public static func spanSeveralYears(_ days: [LocalDay]) -> Bool {
        guard let first = days.first else { return false }
        return days.contains { $0.year != first.year }
    }
}

/// A time in a time zone, for the labels of a chart.
public struct LocalMoment: Sendable, Hashable {
    public var day: LocalDay
    /// The local time, such as `14:00`. Nil for a whole day.
    public var time: String?
    /// The number of seconds by which the local time is ahead of UTC. Negative west of Greenwich.
    public var offset: Int

    public init(day: LocalDay, time: String?, offset: Int) {
        self.day = day
        self.time = time
        self.offset = offset
    }

    /// Labels such as `5 Nov` or `5 Nov 14:00`. They contain the year if the moments span several years. If a label
    /// would occur twice at the end of daylight saving time, the offset is added: `2 Nov 01:00 -05:00`.
    public static func labels(of moments: [LocalMoment]) -> [String] {
        let hasYear = LocalDay.spanSeveralYears(moments.map(\.day))
        let labels = moments.map { moment in
            moment.day.label(withYear: hasYear) + (moment.time.map { " " + $0 } ?? "")
        }
        let occurrences = Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +)
        return zip(labels, moments).map { label, moment in
            occurrences[label] == 1 ? label : "\(label) \(moment.offsetName)"
        }
    }

    private var offsetName: String {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = abs(offset) / 60
        return (offset < 0 ? "-" : "+") + digits(minutes / 60) + ":" + digits(minutes % 60)
    }
}
