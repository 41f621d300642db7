/// The share of promoters (9, 10) less that of detractors (0–6), in percent from −100 to 100.
public struct NetPromoterScore: Sendable, Equatable {
    public var score: Double
    /// Nil below two answers.
    public var interval: Interval?
    public var promoters: Int
    public var passives: Int
    public var detractors: Int

    /// Nil where nobody answered.
    ///
    /// The interval is the normal one of a mean of values 1, 0 and −1, whose variance is p + d − (p − d)²:
    /// B. Rocks, "Interval estimation for the net promoter score", The American Statistician 70 (2016), "Wald".
    public init?(_ distribution: Distribution) {
        guard distribution.count > 0 else { return nil }
        let total = Double(distribution.count)
        promoters = distribution.count { $0 >= 9 }
        detractors = distribution.count { $0 <= 6 }
        passives = distribution.count - promoters - detractors
        let difference = Double(promoters - detractors) / total
        score = 100 * difference
        guard distribution.count > 1 else { return }
        let variance = Double(promoters + detractors) / total - difference * difference
        let reach = StudentT.normalCritical95 * (max(0, variance) / total).squareRoot()
        interval = Interval(low: max(-100, score - 100 * reach), high: min(100, score + 100 * reach))
    }
}
