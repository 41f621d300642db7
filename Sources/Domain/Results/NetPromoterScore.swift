/// The share of promoters (9, 10) minus the share of detractors (0–6), in percent, from −100 to 100.
public struct NetPromoterScore: Sendable, Equatable {
    public var score: Double
    /// Nil for fewer than two answers.
    public var interval: Interval?
    public var promoters: Int
    public var passives: Int
    public var detractors: Int

    /// Returns nil if there are no answers.
    ///
    /// The interval is the adjusted Wald interval of B. Rocks, "Interval estimation for the net promoter score", The
    /// American Statistician 70 (2016): the normal interval of a mean of the values 1, 0 and −1 after adding ¾ of a
    /// promoter, 1½ passives and ¾ of a detractor. Unlike the plain Wald interval, it has a width above zero if
    /// everyone is a promoter, and it keeps its coverage with few answers. With two or more answers, it contains the
    /// score.
    public init?(_ distribution: Distribution) {
        guard distribution.count > 0 else { return nil }
        let total = Double(distribution.count)
        promoters = distribution.count { $0 >= 9 }
        detractors = distribution.count { $0 <= 6 }
        passives = distribution.count - promoters - detractors
        score = 100 * Double(promoters - detractors) / total
        guard distribution.count > 1 else { return }
        interval = Self.interval(promoters: Double(promoters), detractors: Double(detractors), total: total)
    }

    /// - Parameter total: The number of answers. The numbers need not be whole.
    static func interval(promoters: Double, detractors: Double, total: Double) -> Interval {
        let adjustedTotal = total + 3
        let center = (promoters - detractors) / adjustedTotal
        let variance = (promoters + detractors + 1.5) / adjustedTotal - center * center
        let halfWidth = StudentT.normalCritical95 * (variance / adjustedTotal).squareRoot()
        return Interval(low: max(-100, 100 * (center - halfWidth)), high: min(100, 100 * (center + halfWidth)))
    }
}
