import Foundation

/// A series of the demo: its meetings, its questions, and how its rounds go.
struct DemoSeries: Sendable {
    let title: String
    /// A round's title; `{n}` is replaced by its number.
    let roundTitle: String
    let timeZone: String
    let place: String
    /// The weekday (Sunday is 1) and the hour of its meetings, in the zone.
    let weekday: Int
    let hour: Int
    let minutes: Int
    /// The number of weeks from one round to the next.
    let weeks: Int
    let rounds: Int
    /// The minimum number of weeks since its last round.
    let weeksAgo: Int
    let headcount: Int
    /// The share of participants who answer.
    let share: Double
    let questions: [DemoQuestion]
    /// The quality of the first and of the last rounds, 0 to 1.
    let from: Double
    let to: Double
    /// The quality of unusually bad or good rounds, by number.
    var events: [Int: Double] = [:]
    /// The members on its roster.
    var members: [(name: String, email: String)] = []

    /// Returns the quality of a round, 0 to 1.
    func quality(of round: Int, _ numbers: inout SeededNumbers) -> Double {
        if let event = events[round] { return event }
        let progress = rounds > 1 ? Double(round - 1) / Double(rounds - 1) : 1
        return min(0.95, max(0.1, from + (to - from) * progress + 0.05 * numbers.bell()))
    }

    /// Returns the starts of the rounds, the last one at least `weeksAgo` weeks before `now`.
    func starts(before now: Date) throws -> [Date] {
        guard let zone = TimeZone(identifier: timeZone) else { throw UnknownZone(name: timeZone) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let latest = now.addingTimeInterval(-Double(weeksAgo) * 7 * 86_400 - Double(minutes) * 60)
        let moment = DateComponents(hour: hour, minute: 0, second: 0, weekday: weekday)
        guard
            let last = calendar.nextDate(
                after: latest, matching: moment, matchingPolicy: .nextTime, direction: .backward)
        else { return [] }
        return (0..<rounds).reversed().compactMap {
            calendar.date(byAdding: .day, value: -7 * weeks * $0, to: last)
        }
    }

    struct UnknownZone: Error, CustomStringConvertible {
        let name: String
        var description: String { "The system knows no time zone \(name): install tzdata." }
    }
}
