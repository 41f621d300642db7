/// How often and how long a call is retried, if a retry is safe.
public struct RetryPolicy: Sendable {
    /// The maximum number of attempts, including the first.
    public var tries: Int
    /// No retry starts later than this after the first attempt.
    public var timeout: Duration
    /// The longest pause before the first retry. The limit doubles with each retry, up to `longestPause`.
    public var firstPause: Duration
    public var longestPause: Duration
    /// Sleeps between attempts. Replaceable in tests.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// Returns a random number from 0 to 1, from which the jitter is computed. Replaceable in tests.
    public var random: @Sendable () -> Double

    public init(
        tries: Int = 5, timeout: Duration = .seconds(30), firstPause: Duration = .milliseconds(200),
        longestPause: Duration = .seconds(5),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.tries = tries
        self.timeout = timeout
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.sleep = sleep
        self.random = random
    }

    public static let standard = RetryPolicy()
    public static let none = RetryPolicy(tries: 1)

    /// The pause after a number of attempts. Half of it is random, so that clients in one room don't retry at the same
    /// moment.
    func pause(after tries: Int) -> Duration {
        let doubled = firstPause * Double(1 << min(max(tries - 1, 0), 16))
        let longest = min(doubled, longestPause)
        return longest / 2 + longest / 2 * random()
    }

    /// The pause before the next attempt, or nil if there is none. The policy's own pause is added to the service's
    /// `Retry-After`.
    func next(after tries: Int, elapsed: Duration, retryAfter: Duration?) -> Duration? {
        guard tries < self.tries else { return nil }
        let ownPause = pause(after: tries)
        let pause = (retryAfter ?? .zero) + ownPause
        return elapsed + pause <= timeout ? pause : nil
    }
}
