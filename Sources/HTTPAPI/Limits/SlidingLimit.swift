import Domain
import Synchronization

/// Allows a number of events for each key within a sliding time window, such as guesses by address or failed sign-ins
/// by account.
///
/// The events are kept in memory, so each instance counts separately, and a restart resets the count. `Attempts` of the
/// store counts for all instances. Past `capacity` keys, those that have been idle longest are dropped.
final class SlidingLimit<Key: Hashable & Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    let limit: Int
    let window: Duration
    private let capacity: Int
    private let now: @Sendable () -> Instant
    /// The times of each key's last events, oldest first, at most `limit`.
    private let events = Mutex<[Key: [Instant]]>([:])

    init(
        _ limit: Int, per window: Duration, capacity: Int = 50_000,
        now: @escaping @Sendable () -> Instant = { ContinuousClock.now }
    ) {
        self.limit = limit
        self.window = window
        self.capacity = capacity
        self.now = now
    }

    /// The seconds until one more event is allowed; nil if it is allowed now.
    func wait(for key: Key) -> Int? {
        let instant = now()
        return events.withLock { wait($0[key], instant) }
    }

    private func wait(_ times: [Instant]?, _ instant: Instant) -> Int? {
        guard let times, times.count >= limit, let oldest = times.first else { return nil }
        let left = window - (instant - oldest)
        return left > .zero ? Int(left.components.seconds) + 1 : nil
    }

    /// Throws 429 if the key has used up its events.
    func check(_ key: Key) throws(Problem) {
        if let seconds = wait(for: key) { throw Problem(.tooManyRequests, retryAfter: seconds) }
    }

    private func add(_ key: Key, _ instant: Instant, to events: inout [Key: [Instant]]) {
        var times = (events[key] ?? []).filter { instant - $0 < window }
        times.append(instant)
        events[key] = times.suffix(limit)
        if events.count > capacity { Self.forget(&events, instant - window) }
    }

    /// Checks and counts in one step, so that concurrent events cannot exceed the limit; throws 429 past it.
    func take(_ key: Key) throws(Problem) {
        if let seconds = attemptTake(key) { throw Problem(.tooManyRequests, retryAfter: seconds) }
    }

    /// Like ``take(_:)``, but returns false instead of throwing, for a limit that is not reported to the client.
    func tryTake(_ key: Key) -> Bool { attemptTake(key) == nil }

    /// Counts an event and returns nil, or returns the seconds to wait if the event is not allowed.
    private func attemptTake(_ key: Key) -> Int? {
        let instant = now()
        return events.withLock { events in
            let seconds = wait(events[key], instant)
            if seconds == nil { add(key, instant, to: &events) }
            return seconds
        }
    }

    /// Removes the key's last event, which is not to be counted after all.
    func giveBack(_ key: Key) {
        events.withLock { events in
            guard let times = events[key] else { return }
            events[key] = times.count > 1 ? times.dropLast() : nil
        }
    }

    /// Allows no event of the key for `seconds`, because other instances have counted too many.
    func useUp(_ key: Key, for seconds: Int) {
        let last = now() + .seconds(seconds) - window
        events.withLock { $0[key] = Array(repeating: last, count: limit) }
    }

    /// Drops the keys whose events have all expired. If there are none, drops the tenth of the keys that has been idle
    /// longest.
    private static func forget(_ events: inout [Key: [Instant]], _ horizon: Instant) {
        let countBefore = events.count
        events = events.filter { $0.value.last.map { $0 > horizon } ?? false }
        guard events.count == countBefore else { return }
        let byLastEvent = events.sorted { ($0.value.last ?? horizon) < ($1.value.last ?? horizon) }
        for (key, _) in byLastEvent.prefix(max(1, countBefore / 10)) { events[key] = nil }
    }
}
