import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The proposed times of a series' next round, computed from earlier rounds.
struct NextRound {
    /// The number of rounds that are read: nine rounds have eight intervals.
    static let rounds = 9
    private static let week = 7
    /// The number of hours that are tried.
    private static let hours = 24

    var start = ""
    var end = ""
    let place: LocalTime
    /// The same as `start`; nil for typed times.
    private(set) var startsAt: Date?
    private var endsAt: Date?
    /// Whether no earlier round has a date.
    private var isGuessed = false

    /// The last round plus the usual interval, or a week, at the same time of day. If that is in the past, further
    /// intervals are added. Without a dated round, an hour in a week.
    init(after rounds: [Meeting], now: Date) {
        let dated = rounds.compactMap { round in round.startsAt.map { (start: $0, round: round) } }
            .sorted { $0.start > $1.start }
        place = LocalTime((dated.first?.round ?? rounds.first)?.timeZone)
        let calendar = place.calendar
        let next: Date
        var length: TimeInterval = 3600
        if let last = dated.first {
            let step = Self.usual(dated.map { calendar.startOfDay(for: $0.start) }, calendar)
            let passed = calendar.dateComponents([.day], from: last.start, to: now).day ?? 0
            var steps = max(0, passed / step)
            var found: Date
            repeat {
                steps += 1
                found = calendar.date(byAdding: .day, value: steps * step, to: last.start) ?? last.start
            } while found <= now && steps < 1_000_000
            next = found
            length = last.round.endsAt.map { $0.timeIntervalSince(last.start) } ?? length
        } else {
            let hour = calendar.dateInterval(of: .hour, for: now)?.start ?? now
            next = calendar.date(byAdding: .day, value: Self.week, to: hour) ?? now
            isGuessed = true
        }
        let minute = Self.minute(next)
        set(minute, max(Self.minute(next.addingTimeInterval(length)), minute.addingTimeInterval(60)))
    }

    private mutating func set(_ startsAt: Date, _ endsAt: Date) {
        (self.startsAt, self.endsAt) = (startsAt, endsAt)
        (start, end) = (place.field(startsAt), place.field(endsAt))
    }

    /// Moves rounds of undated series to free hours of the host, so that they do not overlap each other.
    static func free(_ rounds: [NextRound], for reader: HostReader) async throws -> [NextRound] {
        let guessed = rounds.filter(\.isGuessed).flatMap { [$0.startsAt, $0.endsAt].compactMap(\.self) }
        guard let first = guessed.min(), let last = guessed.max() else { return rounds }
        let end = last.addingTimeInterval(last.timeIntervalSince(first) * Double(hours))
        let busy = try await reader.busyTimes(from: first, to: end)
        return rounds.map { $0.isGuessed ? $0.free(besides: busy) : $0 }
    }

    private func free(besides busy: [DateInterval]) -> NextRound {
        var found = self
        for _ in 0..<Self.hours {
            guard let start = found.startsAt, let end = found.endsAt else { return found }
            if !busy.contains(where: { $0.start < end && start < $0.end }) { return found }
            found.set(end, end.addingTimeInterval(end.timeIntervalSince(start)))
        }
        return self
    }

    private static func minute(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 / 60).rounded(.down) * 60)
    }

    /// The median number of days between these, sorted from the newest. Several rounds on one day count as one.
    private static func usual(_ days: [Date], _ calendar: Calendar) -> Int {
        let gaps = zip(days, days.dropFirst()).compactMap { later, earlier in
            calendar.dateComponents([.day], from: earlier, to: later).day
        }.filter { $0 > 0 }.sorted()
        // The lower of two middle values, which keeps the day of the week.
        return gaps.isEmpty ? week : gaps[(gaps.count - 1) / 2]
    }

    /// Typed times.
    init(_ fields: FormFields, in place: LocalTime) {
        self.place = place
        (start, end) = (fields["start"] ?? "", fields["end"] ?? "")
    }

    /// The body for the API, which copies everything else from the last round. Several rounds keep their title.
    func body(times count: String?, title: String? = nil, allowOverlap: Bool) -> JSONValue {
        var members: [JSONValue.Member] = []
        if !start.isEmpty { members.append(.init("startsAt", place.json(start))) }
        if !end.isEmpty { members.append(.init("endsAt", place.json(end))) }
        if let count, !count.isEmpty, count != "1" {
            let number = Int(count).map { JSONValue($0) } ?? .string(count)
            members.append(
                .init("repeat", .object([.init("every", .string("P7D")), .init("count", number)])))
        } else if let title {
            members.append(.init("title", .string(title)))
        }
        if allowOverlap { members.append(.init("allowOverlap", .bool(true))) }
        return .object(members)
    }
}
