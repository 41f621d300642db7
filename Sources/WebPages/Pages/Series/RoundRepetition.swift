import Foundation
import StrictJSON

/// How often the next round is repeated, as typed: the distance between rounds, and their number.
struct RoundRepetition {
    /// The units that the page offers, in their order, with the unit and the day of the API.
    static let units: [(name: String, unit: String, day: String?)] = [
        ("weeks", "W", nil), ("months", "M", nil), ("weekdays", "M", "weekday"), ("lastWeekdays", "M", "lastWeekday"),
    ]

    var count = "1"
    var interval = "1"
    var unit = "weeks"

    init(_ fields: FormFields) {
        count = fields["count"] ?? count
        interval = fields["interval"] ?? interval
        unit = fields["unit"] ?? unit
    }

    /// The number of rounds, if it can be parsed.
    var rounds: Int { Int(count) ?? 1 }

    /// The value for the API; nil for a single round. Text that can't be parsed is sent unchanged, so that the API reports
    /// the fault.
    var json: JSONValue? {
        let count = count.trimmingCharacters(in: .whitespaces)
        guard !count.isEmpty, count != "1" else { return nil }
        let chosen = Self.units.first { $0.name == unit } ?? Self.units[0]
        let number = interval.trimmingCharacters(in: .whitespaces)
        var members: [JSONValue.Member] = [
            .init("every", .string("P\(number.isEmpty ? "1" : number)\(chosen.unit)")),
            .init("count", Int(count).map { JSONValue($0) } ?? .string(count)),
        ]
        if let day = chosen.day { members.append(.init("day", .string(day))) }
        return .object(members)
    }
}
