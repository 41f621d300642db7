/// The times at which a failed delivery is retried.
public enum WebhookSchedule {
    /// A delivery is given up after the first failed attempt that is later than this many seconds after its creation.
    public static let givenUpAfter: Double = 86_400

    private static let pauseSeconds: [Double] = [10, 30, 120, 600, 1_800, 3_600, 7_200, 14_400]
    private static let spread = 0.2

    /// Returns the number of seconds between the end of an attempt and the next attempt. The pause grows with each
    /// attempt, up to four hours. Up to 20 % is added, so that deliveries that failed together are not retried
    /// together.
    ///
    /// - Parameters:
    ///   - tries: The number of attempts so far, at least 1.
    ///   - chance: A random number from 0 to 1.
    public static func pause(after tries: Int, chance: Double) -> Double {
        let step = min(max(tries, 1), pauseSeconds.count) - 1
        return pauseSeconds[step] * (1 + spread * min(max(chance, 0), 1))
    }
}
