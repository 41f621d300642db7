import Foundation
import StrictJSON

/// The repetition of a meeting, such as `{"every": "P7D", "count": 12}`. The count includes the first meeting.
public struct Repetition: Sendable, Equatable {
    /// On which day of its month a round is, if the period is of months or years.
    public enum Day: String, Sendable, CaseIterable {
        /// The day of the first meeting, or the last day of a shorter month.
        case date
        /// The same weekday of the month as the first meeting, such as the second Tuesday. Months without a fifth one
        /// are skipped.
        case weekday
        /// The last of the first meeting's weekday in the month, such as the last Friday.
        case lastWeekday
    }

    /// The largest number of days in each unit. These upper bounds suffice to check the limits of a repetition.
    private static let daysPerUnit: [Character: Int] = ["D": 1, "W": 7, "M": 31, "Y": 366]
    /// The last round must begin within a hundred years of the first.
    private static let maximumDays = 36_600

    /// An ISO 8601 period of days, weeks, months or years. PostgreSQL reads the same format.
    public var every: String
    public var count: Int
    public var day = Day.date

    /// The number of months in the period; nil if it is of days or weeks.
    public var months: Int? {
        guard let number = Int(every.dropFirst().dropLast()) else { return nil }
        return every.last == "M" ? number : every.last == "Y" ? 12 * number : nil
    }

    /// Reads a repetition from the body of a meeting.
    ///
    /// - Parameters:
    ///   - isDated: Whether the meeting has times. Only such a meeting can be repeated.
    ///   - end: The end of the first meeting.
    static func read(_ name: String, of reader: ObjectReader, isDated: Bool, until end: Date?) -> Repetition? {
        guard let object = reader.object(name) else { return nil }
        if !isDated {
            reader.fault(at: name, code: "undated-meeting", "Only a meeting with its times can be repeated.")
        }
        let count = object.requiredInt("count", in: 1...366)
        // Read before any return, because a member that is not read is reported as unknown.
        let day = object.word(Day.self, "day") ?? .date
        guard let every = object.requiredString("every") else { return nil }
        guard let days = days(of: every) else {
            object.fault(
                at: "every", code: "invalid-period",
                "A period of whole days, weeks, months or years is expected here, such as P1D, P2W, P1M or P1Y.")
            return nil
        }
        if day != .date, !"MY".contains(every.last ?? "-") {
            object.fault(
                at: "day", code: "needs-months", "Rounds on a weekday of the month need a period of months or years.")
            return nil
        }
        guard let count else { return nil }
        guard days * (count - 1) <= maximumDays else {
            reader.fault(at: name, code: "too-far", "The last round must begin within a hundred years.")
            return nil
        }
        // Skipped months may put the last round anywhere in the hundred years.
        let maxDays = day == .weekday ? maximumDays : days * (count - 1) + (day == .lastWeekday ? 31 : 0)
        if count > 1, let end, MeetingDraft.times.contains(end),
            end.addingTimeInterval(Double(maxDays) * 86_400) >= MeetingDraft.times.upperBound
        {
            reader.fault(at: name, code: "too-far", "The last round must end before the year 9998.")
            return nil
        }
        return Repetition(every: every, count: count, day: day)
    }

    /// Returns the largest number of days in a period such as `P2W`. Returns nil for any other text, and for a period
    /// of 0.
    private static func days(of period: String) -> Int? {
        guard period.first == "P", let unitDays = period.last.flatMap({ daysPerUnit[$0] }) else { return nil }
        let digits = period.dropFirst().dropLast()
        guard 1...4 ~= digits.utf8.count, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(digits),
            number > 0
        else { return nil }
        return number * unitDays
    }
}
