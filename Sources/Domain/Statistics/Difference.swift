/// The difference between a later and an earlier number, with its 95 % interval.
public struct Difference: Sendable, Equatable {
    public var value: Double
    /// Nil if a side has too few answers.
    public var interval: Interval?

    /// The difference of two means. Nil if a side has no answers. There is no interval if a side has fewer than two
    /// answers.
    ///
    /// Welch's interval, which does not assume equal variances: d ± t(0.975, ν) · √(s₁²/n₁ + s₂²/n₂) with the degrees
    /// of freedom ν of Welch and Satterthwaite, usually fractional. B. L. Welch, "The generalization of Student's
    /// problem when several different population variances are involved", Biometrika 34 (1947). If all answers of each
    /// side are equal, the interval has no width, like the intervals of the two means.
    public static func ofMeans(_ later: Distribution, less earlier: Distribution) -> Difference? {
        guard let new = later.mean, let old = earlier.mean else { return nil }
        var difference = Difference(value: new - old, interval: nil)
        guard let newDeviation = later.standardDeviation, let oldDeviation = earlier.standardDeviation else {
            return difference
        }
        let (newPart, oldPart) = (
            newDeviation * newDeviation / Double(later.count), oldDeviation * oldDeviation / Double(earlier.count)
        )
        let variance = newPart + oldPart
        guard variance > 0 else {
            difference.interval = Interval(low: difference.value, high: difference.value)
            return difference
        }
        let (newShare, oldShare) = (newPart / variance, oldPart / variance)
        let degrees =
            1 / (newShare * newShare / Double(later.count - 1) + oldShare * oldShare / Double(earlier.count - 1))
        let halfWidth = StudentT.critical95(degreesOfFreedom: degrees) * variance.squareRoot()
        difference.interval = Interval(low: difference.value - halfWidth, high: difference.value + halfWidth)
        return difference
    }

    /// The difference of two shares.
    ///
    /// The hybrid score interval from each share's own Wilson bounds, without continuity correction: method 10 of R. G.
    /// Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17
    /// (1998). It stays within −1…1.
    public static func ofShares(_ later: Proportion, less earlier: Proportion) -> Difference {
        let value = later.value - earlier.value
        let below = distance(later.value - later.low, earlier.high - earlier.value)
        let above = distance(later.high - later.value, earlier.value - earlier.low)
        return Difference(value: value, interval: Interval(low: value - below, high: value + above))
    }

    private static func distance(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
}
