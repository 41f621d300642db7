/// Exponential backoff with jitter, so that many clients do not reconnect at the same moment.
struct Backoff: Sendable {
    let first: Duration
    let longest: Duration
    private(set) var failures = 0

    /// Counts a failure and returns the pause before the next attempt. The pause is random, between half and all of
    /// `first * 2ⁿ` after n earlier failures, where the product is limited to `longest`.
    mutating func next() -> Duration {
        let longestPause = min(longest, first * (1 << min(failures, 20)))
        failures += 1
        return longestPause * Double.random(in: 0.5...1)
    }

    mutating func reset() { failures = 0 }
}
