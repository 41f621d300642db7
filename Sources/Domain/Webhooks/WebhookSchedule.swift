/// When a failed delivery is tried again.
public enum WebhookSchedule {
    /// The seconds from its creation for which a delivery is tried; after one more try it is given up.
    public static let givenUpAfter: Double = 86_400

    private static let pauses: [Double] = [10, 30, 120, 600, 1_800, 3_600, 7_200, 14_400]
    private static let spread = 0.2

    /// Returns the seconds from the end of a try to the next: growing with each, at most four hours, plus up to a
    /// fifth, so that deliveries that failed together are not retried together.
    ///
    /// - Parameters:
    ///   - tries: The number of tries, from 1.
    ///   - chance: From 0 to 1.
    public static func pause(after tries: Int, chance: Double) -> Double {
        let step = min(max(tries, 1), pauses.count) - 1
        return pauses[step] * (1 + spread * min(max(chance, 0), 1))
    }
}
