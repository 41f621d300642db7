/// When a delivery that was not taken is tried again.
public enum WebhookSchedule {
    /// A delivery is tried so long from when it was made, then once more, and given up.
    public static let givenUpAfter: Double = 86_400

    private static let pauses: [Double] = [10, 30, 120, 600, 1_800, 3_600, 7_200, 14_400]
    private static let spread = 0.2

    /// Seconds from the end of a try to the next: longer each time, at most four hours, and up to a fifth more, so that
    /// what failed together does not come back together.
    ///
    /// - Parameters:
    ///   - tries: how many there were, from 1.
    ///   - chance: from 0 to 1.
    public static func pause(after tries: Int, chance: Double) -> Double {
        let step = min(max(tries, 1), pauses.count) - 1
        return pauses[step] * (1 + spread * min(max(chance, 0), 1))
    }
}
