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
        let interval = interval(
            later.value, Interval(low: later.low, high: later.high), less: earlier.value,
            Interval(low: earlier.low, high: earlier.high))
        return Difference(value: later.value - earlier.value, interval: interval)
    }

    /// The interval of a difference from those of both numbers, which need not be symmetric: d − √((x₂ − l₂)² + (u₁ −
    /// x₁)²) … d + √((u₂ − x₂)² + (x₁ − l₁)²).
    ///
    /// G. Y. Zou, A. Donner, "Construction of confidence limits about effect measures: a general approach", Statistics
    /// in Medicine 27 (2008).
    static func interval(
        _ later: Double, _ laterInterval: Interval, less earlier: Double, _ earlierInterval: Interval
    ) -> Interval {
        let difference = later - earlier
        let below = distance(later - laterInterval.low, earlierInterval.high - earlier)
        let above = distance(laterInterval.high - later, earlier - earlierInterval.low)
        return Interval(low: difference - below, high: difference + above)
    }

    /// The difference of two net promoter scores, from the adjusted interval of each. There is no interval if a side has
    /// fewer than two answers. It has a width even if all are promoters in both rounds.
    static func ofScores(_ later: NetPromoterScore, less earlier: NetPromoterScore) -> Difference {
        Difference(
            value: later.score - earlier.score,
            interval: later.interval.flatMap { new in
                earlier.interval.map { interval(later.score, new, less: earlier.score, $0) }
            })
    }

    private static func distance(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
}
