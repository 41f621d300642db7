/// How often and how long a call is repeated by itself, where a repetition can do no harm.
public struct RetryPolicy: Sendable {
    /// The first try included.
    public var tries: Int
    /// No repetition begins later than this after the first try.
    public var time: Duration
    /// The longest pause before the second try; it doubles with each.
    public var firstPause: Duration
    public var longestPause: Duration
    /// What waits; tests wait less.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 to 1 for the jitter.
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

    /// The pause after so many tries: half of it certain, half by chance, so that a hall of telephones does not return at
    /// the same moment.
    func pause(after tries: Int) -> Duration {
        let doubled = firstPause * Double(1 << min(max(tries - 1, 0), 16))
        let longest = min(doubled, longestPause)
        return longest / 2 + longest / 2 * chance()
    }

    /// The pause before the next try, nil if there is none; what the service asked for is kept, with the jitter on top.
    func next(after tries: Int, elapsed: Duration, asked: Duration?) -> Duration? {
        guard tries < self.tries else { return nil }
        let own = pause(after: tries)
        let pause = asked.map { $0 + own } ?? own
        return elapsed + pause <= time ? pause : nil
    }
}
