/// A share of the answers, with Wilson's 95 % bounds.
public struct Proportion: Sendable, Equatable {
    public let value: Double
    public let low: Double
    public let high: Double

    /// Nil if there are no answers.
    ///
    /// The score interval without continuity correction: E. B. Wilson, "Probable inference, the law of succession, and
    /// statistical inference", Journal of the American Statistical Association 22 (1927). Unlike the plain normal
    /// interval, it stays within 0…1 and is meaningful for 0 of n.
    public init?(count: Int, of total: Int) {
        guard total > 0 else { return nil }
        let share = Double(count) / Double(total)
        let bounds = Self.wilson(share: share, of: Double(total))
        value = share
        low = count == 0 ? 0 : bounds.low
        high = count == total ? 1 : bounds.high
    }

    /// - Parameter n: The number of answers, which need not be whole.
    static func wilson(share: Double, of n: Double) -> Interval {
        let zSquared = StudentT.normalCritical95 * StudentT.normalCritical95
        let center = (share + zSquared / (2 * n)) / (1 + zSquared / n)
        let spread = (share * (1 - share) / n + zSquared / (4 * n * n)).squareRoot()
        let halfWidth = StudentT.normalCritical95 * spread / (1 + zSquared / n)
        return Interval(low: max(0, center - halfWidth), high: min(1, center + halfWidth))
    }
}

extension Double {
    /// The number multiplied by 10 to the power of `places`, rounded to a whole number. The decimal representation is
    /// rounded, half away from zero.
    ///
    /// With two places, 2.675 becomes 268, although its binary representation is slightly smaller.
    public func rounded(toDecimals places: Int) -> Double {
        // A number whose description has an exponent is so large or so small that multiplying in binary gives the same
        // result.
        if let shifted = Double("\(self)e\(places)") { return shifted.rounded() }
        return (0..<places).reduce(self) { number, _ in number * 10 }.rounded()
    }
}
