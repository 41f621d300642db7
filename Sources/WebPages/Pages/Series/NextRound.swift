import Contract
import Foundation
import HTTPAPI
import StrictJSON

/// The times of a series' next round: proposed from earlier rounds, or typed by a host.
struct NextRound {
    /// The number of earlier rounds that are read. Nine rounds have eight intervals.
    static let rounds = 9
    private static let daysPerWeek = 7
    /// The largest number of hours that are tried in the search for a free one.
    private static let maxMoves = 24

    /// The values of the form's fields, as proposed or typed.
    var start = ""
    var end = ""
    let localTime: LocalTime
    /// The proposed times. Nil for typed times.
    private(set) var startsAt: Date?
    private var endsAt: Date?
    /// Whether no earlier round has a date.
    private var isGuessed = false
    /// Whether the proposed time may be at the same time as another meeting, as that of the last round may.
    private(set) var allowsOverlap = false

    /// Proposes a time at the usual interval after the last round, or a week after it if no interval is known. The time
    /// of day stays the same. If the proposed time is in the past, further intervals are added. Without a dated round,
    /// proposes one hour, a week from now.
    init(after rounds: [Meeting], now: Date) {
        let dated = rounds.compactMap { round in round.startsAt.map { (start: $0, round: round) } }
            .sorted { $0.start > $1.start }
        localTime = LocalTime((dated.first?.round ?? rounds.first)?.timeZone)
        let calendar = localTime.calendar
        let next: Date
        var length: TimeInterval = 3600
        if let last = dated.first {
            let step = Self.usualInterval(dated.map { calendar.startOfDay(for: $0.start) }, calendar)
            let daysSinceLast = calendar.dateComponents([.day], from: last.start, to: now).day ?? 0
            var steps = max(0, daysSinceLast / step)
            var candidate: Date
            repeat {
                steps += 1
                candidate = calendar.date(byAdding: .day, value: steps * step, to: last.start) ?? last.start
            } while candidate <= now && steps < 1_000_000
            next = candidate
            allowsOverlap = last.round.allowOverlap
            length = last.round.endsAt.map { $0.timeIntervalSince(last.start) } ?? length
        } else {
            let hour = calendar.dateInterval(of: .hour, for: now)?.start ?? now
            next = calendar.date(byAdding: .day, value: Self.daysPerWeek, to: hour) ?? now
            isGuessed = true
        }
        let start = LocalTime.startOfMinute(next)
        set(start, max(LocalTime.startOfMinute(next.addingTimeInterval(length)), start.addingTimeInterval(60)))
    }

    private mutating func set(_ startsAt: Date, _ endsAt: Date) {
        (self.startsAt, self.endsAt) = (startsAt, endsAt)
        (start, end) = (localTime.field(startsAt), localTime.field(endsAt))
    }

    /// Moves guessed rounds to hours in which the host has no meeting.
    static func movingToFreeHours(_ rounds: [NextRound], for reader: HostReader) async throws -> [NextRound] {
        let guessed = rounds.filter(\.isGuessed).flatMap { [$0.startsAt, $0.endsAt].compactMap(\.self) }
        guard let first = guessed.min(), let last = guessed.max() else { return rounds }
        let end = last.addingTimeInterval(last.timeIntervalSince(first) * Double(maxMoves))
        let busy = try await reader.busyTimes(from: first, to: end)
        return rounds.map { $0.isGuessed ? $0.moved(avoiding: busy) : $0 }
    }

    /// The first free time at or after the proposed one. If none of the tried times is free, the proposed time.
    private func moved(avoiding busy: [DateInterval]) -> NextRound {
        var candidate = self
        for _ in 0..<Self.maxMoves {
            guard let start = candidate.startsAt, let end = candidate.endsAt else { return candidate }
            if !busy.contains(where: { $0.start < end && start < $0.end }) { return candidate }
            candidate.set(end, end.addingTimeInterval(end.timeIntervalSince(start)))
        }
        return self
    }

    /// The median interval in days. Several rounds on one day count as one.
    ///
    /// - Parameter days: The days of the rounds, the newest first.
    private static func usualInterval(_ days: [Date], _ calendar: Calendar) -> Int {
        let gaps = zip(days, days.dropFirst()).compactMap { later, earlier in
            calendar.dateComponents([.day], from: earlier, to: later).day
        }.filter { $0 > 0 }.sorted()
        // Of two middle values, the lower one is used. Unlike their mean, it keeps the day of the week.
        return gaps.isEmpty ? daysPerWeek : gaps[(gaps.count - 1) / 2]
    }

    /// The times that a host typed.
    init(_ fields: FormFields, in localTime: LocalTime) {
        self.localTime = localTime
        start = fields["start"] ?? ""
        end = localTime.end(fields["end"] ?? "", after: start)
    }

    /// The body of the request for the next round. The API copies everything else from the last round.
    ///
    /// - Parameters:
    ///   - repeating: How often the round is repeated, and when.
    ///   - title: The title of a single round. Several rounds get the last round's title.
    func body(_ repeating: RoundRepetition, title: String? = nil, allowOverlap: Bool) -> JSONValue {
        var members: [JSONValue.Member] = []
        if !start.isEmpty { members.append(.init("startsAt", localTime.json(start))) }
        if !end.isEmpty { members.append(.init("endsAt", localTime.json(end))) }
        if let json = repeating.json {
            members.append(.init("repeat", json))
        } else if let title {
            members.append(.init("title", .string(title)))
        }
        if allowOverlap { members.append(.init("allowOverlap", .bool(true))) }
        return .object(members)
    }
}
