import Foundation

/// A series of the demo: who meets when, what is asked, and how its rounds go.
struct DemoSeries: Sendable {
    let title: String
    /// A round's title; `{n}` is its number.
    let roundTitle: String
    let timeZone: String
    let place: String
    /// Of the zone: the weekday, Sunday is 1, and the hour.
    let weekday: Int
    let hour: Int
    let minutes: Int
    /// Between rounds.
    let weeks: Int
    let rounds: Int
    /// How many weeks before now its last round was, at least.
    let weeksAgo: Int
    let headcount: Int
    /// How many of them answer.
    let share: Double
    let questions: [DemoQuestion]
    /// How good the first rounds are and the last ones, 0 to 1.
    let from: Double
    let to: Double
    /// Rounds that went wrong, or very well, by number, with how good they were.
    var events: [Int: Double] = [:]
    /// Who is on its list.
    var members: [(name: String, email: String)] = []

    /// How good a round was, 0 to 1.
    func quality(of round: Int, _ numbers: inout SeededNumbers) -> Double {
        if let event = events[round] { return event }
        let way = rounds > 1 ? Double(round - 1) / Double(rounds - 1) : 1
        return min(0.95, max(0.1, from + (to - from) * way + 0.05 * numbers.bell()))
    }

    /// When the rounds began, the last one at least `weeksAgo` weeks before `now`.
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
