import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// When the next round of a series would be, by the rounds before.
struct NextRound {
    var start = ""
    var end = ""
    let place: LocalTime

    /// As long after the newest round as that came after the one before, else a week, at the same time of day, and not
    /// before now. Undated rounds propose nothing.
    init(after rounds: [Meeting], now: Date) {
        let newest = rounds.first
        place = LocalTime(newest?.timeZone)
        guard let newest, let start = newest.startsAt, let end = newest.endsAt else { return }
        let calendar = place.calendar
        var step = 7
        if let before = rounds.dropFirst().first?.startsAt {
            let days = calendar.dateComponents(
                [.day], from: calendar.startOfDay(for: before), to: calendar.startOfDay(for: start)
            ).day
            if let days, days > 0 { step = days }
        }
        let passed = max(0, calendar.dateComponents([.day], from: start, to: now).day ?? 0)
        var days = (passed / step + 1) * step
        var next = calendar.date(byAdding: .day, value: days, to: start) ?? start
        if next <= now {
            days += step
            next = calendar.date(byAdding: .day, value: days, to: start) ?? start
        }
        self.start = place.field(next)
        self.end = place.field(next.addingTimeInterval(end.timeIntervalSince(start)))
    }

    /// What was typed instead.
    init(_ fields: FormFields, in place: LocalTime) {
        self.place = place
        (start, end) = (fields["start"] ?? "", fields["end"] ?? "")
    }

    /// What the API takes: everything else comes from the round before.
    func body(times count: String?, allowOverlap: Bool) -> JSONValue {
        var members: [JSONValue.Member] = []
        if !start.isEmpty { members.append(.init("startsAt", place.json(start))) }
        if !end.isEmpty { members.append(.init("endsAt", place.json(end))) }
        if let count, !count.isEmpty, count != "1" {
            let number = Int(count).map { JSONValue($0) } ?? .string(count)
            members.append(
                .init("repeat", .object([.init("every", .string("P7D")), .init("count", number)])))
        }
        if allowOverlap { members.append(.init("allowOverlap", .bool(true))) }
        return .object(members)
    }
}
