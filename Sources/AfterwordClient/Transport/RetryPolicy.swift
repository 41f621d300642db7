/// How often and how long a call is retried, if a retry is safe.
public struct RetryPolicy: Sendable {
    /// The number of attempts, the first included.
    public var tries: Int
    /// The time after the first attempt after which no retry starts.
    public var time: Duration
    /// The longest pause before the first retry. It doubles with each retry.
    public var firstPause: Duration
    public var longestPause: Duration
    /// Sleeps between attempts. Replaceable in tests.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// Returns a number from 0 to 1 for the jitter.
    public var chance: @Sendable () -> Double

    public init(
        tries: Int = 5, time: Duration = .seconds(30), firstPause: Duration = .milliseconds(200),
        longestPause: Duration = .seconds(5),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.tries = tries
        self.time = time
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.sleep = sleep
        self.chance = chance
    }

    public static let standard = RetryPolicy()
    public static let none = RetryPolicy(tries: 1)

    /// The pause after a number of attempts. Half of it is random, so that clients in one room don't retry at the same
    /// moment.
    func pause(after tries: Int) -> Duration {
        let doubled = firstPause * Double(1 << min(max(tries - 1, 0), 16))
        let longest = min(doubled, longestPause)
        return longest / 2 + longest / 2 * chance()
    }

    /// The pause before the next attempt, or nil if there is none. The service's `Retry-After` is a minimum, to which
    /// the jitter is added.
    func next(after tries: Int, elapsed: Duration, asked: Duration?) -> Duration? {
        guard tries < self.tries else { return nil }
        let own = pause(after: tries)
        let pause = asked.map { $0 + own } ?? own
        return elapsed + pause <= time ? pause : nil
    }
}
