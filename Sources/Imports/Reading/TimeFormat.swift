import Foundation
import StrictJSON

/// How a file writes its times, if not as RFC 3339: the order of day, month and year, and the time zone of times
/// without an offset. Times as RFC 3339 are always read too.
public struct TimeFormat: Sendable, Equatable {
    public enum Order: String, Sendable, CaseIterable {
        case ymd
        case dmy
        case mdy
    }

    public let order: Order
    public let timeZone: TimeZone
    /// Made once, because it takes longer than to parse a time.
    private let calendar: Calendar

    /// For times with an offset.
    private static let utc = Self.calendar(.gmt)
    /// The largest difference between a time zone and UTC, in seconds.
    private static let maxOffset = 18 * 3600
    /// Longer texts are not read.
    private static let maxBytes = 100

    public init(order: Order, timeZone: TimeZone) {
        self.order = order
        self.timeZone = timeZone
        calendar = Self.calendar(timeZone)
    }

    private static func calendar(_ timeZone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        return calendar
    }

    /// Reads a day with an optional time, such as `27.11.2026 20:35`, `11/27/26 8:35:12 PM` or
    /// `2026/11/27 8:35:12 PM GMT+1`. Nil for anything else, also for a day that does not exist.
    public func parse(_ text: String) -> Date? {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        if let time = RFC3339.parse(text) { return time }
        var scanner = Scanner(text)
        guard let first = scanner.number(), scanner.separator(), let second = scanner.number(), scanner.separator(),
            let third = scanner.number()
        else { return nil }
        let parts: [(value: Int, digits: Int)] =
            switch order {
            case .ymd: [first, second, third]
            case .dmy: [third, second, first]
            case .mdy: [third, first, second]
            }
        var (year, month, day) = (parts[0], parts[1], parts[2])
        // Nobody writes the year first with two digits, so that 11/12/26 begins with a month or a day.
        let mayBeShort = order != .ymd && year.digits == 2
        if mayBeShort { year.value += 2000 }
        guard mayBeShort || year.digits == 4, month.digits <= 2, day.digits <= 2, 1...12 ~= month.value,
            1...31 ~= day.value
        else { return nil }
        scanner.skip { ".,T년월일 ".unicodeScalars.contains($0) }
        guard let clock = scanner.clock() else { return nil }
        let offset = scanner.offset()
        guard scanner.isAtEnd else { return nil }
        return date(year.value, month.value, day.value, clock, offset: offset)
    }

    private func date(_ year: Int, _ month: Int, _ day: Int, _ seconds: Int, offset: Int?) -> Date? {
        let offset = offset.flatMap { abs($0) <= Self.maxOffset ? $0 : nil }
        let calendar = offset == nil ? calendar : Self.utc
        let parts = DateComponents(
            year: year, month: month, day: day, hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60)
        guard let date = calendar.date(from: parts) else { return nil }
        // A day that does not exist would become one of the next month.
        guard calendar.component(.day, from: date) == day else { return nil }
        return date.addingTimeInterval(-Double(offset ?? 0))
    }

    /// Reads the parts of a time from the left.
    private struct Scanner {
        private var rest: Substring.UnicodeScalarView

        init(_ text: String) {
            rest = Substring(text.trimmingCharacters(in: .whitespaces)).unicodeScalars
        }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func skip(_ matches: (Unicode.Scalar) -> Bool) { rest = rest.drop(while: matches) }

        mutating func number() -> (value: Int, digits: Int)? {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            guard 1...4 ~= digits.count, let value = Int(String(digits)) else { return nil }
            rest = rest.dropFirst(digits.count)
            return (value, digits.count)
        }

        /// What separates the numbers of a day.
        mutating func separator() -> Bool {
            let count = rest.count
            skip { "./-년월 ".unicodeScalars.contains($0) }
            return 1...2 ~= count - rest.count
        }

        mutating func word(_ words: [String]) -> Int? {
            for (index, word) in words.enumerated()
            where String(rest.prefix(word.unicodeScalars.count)).lowercased() == word {
                rest = rest.dropFirst(word.unicodeScalars.count)
                skip { $0 == " " }
                return index
            }
            return nil
        }

        /// The seconds since midnight: 0 without a time, nil for a time that does not exist.
        mutating func clock() -> Int? {
            guard !isAtEnd else { return 0 }
            let halves = ["am", "pm", "a.m.", "p.m.", "오전", "오후"]
            var half = word(halves)
            guard let hour = number(), hour.digits <= 2 else { return nil }
            var values = [hour.value]
            while rest.first == ":", values.count < 3 {
                rest = rest.dropFirst()
                guard let next = number(), next.digits == 2 else { return nil }
                values.append(next.value)
            }
            if rest.first == "." || rest.first == ",", values.count == 3 {
                rest = rest.dropFirst()
                skip { ("0"..."9").contains($0) }
            }
            skip { $0 == " " || $0 == "\u{202F}" }
            if half == nil { half = word(halves) }
            guard values.count >= 2, values.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
            var hours = values[0]
            if let half {
                guard 1...12 ~= hours else { return nil }
                hours = hours % 12 + (half % 2 == 1 ? 12 : 0)
            }
            guard hours < 24 else { return nil }
            return hours * 3600 + values[1] * 60 + (values.count > 2 ? values[2] : 0)
        }

        /// The offset from UTC in seconds, if the time has one.
        mutating func offset() -> Int? {
            let zone = word(["gmt", "utc", "z"])
            guard let sign = rest.first, sign == "+" || sign == "-" else { return zone == nil ? nil : 0 }
            let start = rest
            rest = rest.dropFirst()
            guard let hours = number(), hours.digits != 3 else {
                rest = start
                return nil
            }
            if rest.first == ":" { rest = rest.dropFirst() }
            let minutes = number()?.value ?? 0
            let isJoined = hours.digits == 4
            let seconds =
                isJoined
                ? hours.value / 100 * 3600 + hours.value % 100 * 60 : hours.value * 3600 + minutes * 60
            return (sign == "-" ? -1 : 1) * seconds
        }
    }
}
