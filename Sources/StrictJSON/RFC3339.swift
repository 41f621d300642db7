#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// RFC 3339 times, computed with the proleptic Gregorian calendar.
public enum RFC3339 {
    private static let day = 86_400
    /// 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z, the range of a four-digit year.
    private static let range = (-62_167_219_200)...253_402_300_799

    /// `2026-11-21T09:30:00Z`. Fractions of a second are cut off, and times outside the years 0000–9999 are clamped.
    public static func format(_ date: Date) -> String {
        let seconds = wholeSeconds(date)
        let days = (seconds - (seconds < 0 ? day - 1 : 0)) / day
        let time = seconds - days * day
        let (year, month, dayOfMonth) = civil(days)
        var text: [UInt8] = []
        text.reserveCapacity(20)
        appendPair(year / 100, to: &text)
        appendPair(year % 100, to: &text)
        text.append(UInt8(ascii: "-"))
        appendPair(month, to: &text)
        text.append(UInt8(ascii: "-"))
        appendPair(dayOfMonth, to: &text)
        text.append(UInt8(ascii: "T"))
        appendPair(time / 3600, to: &text)
        text.append(UInt8(ascii: ":"))
        appendPair(time / 60 % 60, to: &text)
        text.append(UInt8(ascii: ":"))
        appendPair(time % 60, to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// A date with time and offset. Returns nil for any other text, for days and hours that don't exist, and for leap
    /// seconds.
    public static func parse(_ text: String) -> Date? {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take("t"),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), scanner.take(":"),
            let second = scanner.number(2), let fraction = scanner.fraction(), let offset = scanner.offset(),
            scanner.isAtEnd
        else { return nil }
        guard 1...12 ~= month, 1...daysIn(month: month, of: year) ~= day, hour < 24, minute < 60, second < 60 else {
            return nil
        }
        let days = civilDay(year: year, month: month, day: day)
        let seconds = days * Self.day + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func wholeSeconds(_ date: Date) -> Int {
        let seconds = date.timeIntervalSince1970
        guard seconds >= Double(range.lowerBound) else { return range.lowerBound }
        guard seconds < Double(range.upperBound) else { return range.upperBound }
        return Int(seconds.rounded(.down))
    }

    private static func appendPair(_ number: Int, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    private static func daysIn(month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Days since 1970-01-01 (`days_from_civil` in Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    private static func civilDay(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of `civilDay` (`civil_from_days` in the same paper).
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

private struct Scanner {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    mutating func digit() -> Int? {
        guard index < bytes.count, bytes[index] &- UInt8(ascii: "0") <= 9 else { return nil }
        index += 1
        return Int(bytes[index - 1] - UInt8(ascii: "0"))
    }

    mutating func number(_ digits: Int) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// A missing fraction is 0. A point must be followed by a digit.
    mutating func fraction() -> Double? {
        guard take(".") else { return 0 }
        guard let first = digit() else { return nil }
        var numerator = Double(first)
        var denominator = 10.0
        while let digit = digit() {
            guard denominator < 1e15 else { continue }
            numerator = numerator * 10 + Double(digit)
            denominator *= 10
        }
        return numerator / denominator
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let east = take("+")
        guard east || take("-"), let hours = number(2), hours < 24, take(":"), let minutes = number(2), minutes < 60
        else { return nil }
        return (east ? 1 : -1) * (hours * 3600 + minutes * 60)
    }
}
