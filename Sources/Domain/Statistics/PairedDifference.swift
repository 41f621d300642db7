/// How the answers of the same people differ between two rounds. The people are those who answered in both, each of
/// whom is a pair of answers.
public struct PairedDifference: Sendable, Equatable {
    /// The test from which the p value is computed.
    public enum Test: String, Sendable {
        case pairedT = "paired-t"
        case mcNemar = "mcnemar"
        case signFlips = "sign-flips"
    }

    /// The number of people who answered in both rounds.
    public var pairs: Int
    /// Their number in the earlier and in the later round.
    public var earlier: Double
    public var later: Double
    public var value: Double
    /// The 95 % interval of the difference. Nil for fewer than two pairs.
    public var interval: Interval?
    public var test: Test
    /// How often chance alone would show at least this difference. Nil if it cannot be computed.
    public var p: Double?

    /// The mean difference of ratings, with Student's interval and test for pairs. Nil without pairs.
    ///
    /// Student, "The probable error of a mean", Biometrika 6 (1908), whose example is paired. If all pairs differ by the
    /// same number, the interval has no width, and there is no p value.
    public static func ofMeans(_ pairs: [(earlier: Int, later: Int)]) -> PairedDifference? {
        guard !pairs.isEmpty else { return nil }
        let count = Double(pairs.count)
        // Sums of whole numbers are exact.
        let sum = Double(pairs.reduce(0) { $0 + $1.later - $1.earlier })
        let squares = Double(pairs.reduce(0) { $0 + ($1.later - $1.earlier) * ($1.later - $1.earlier) })
        let mean = sum / count
        var difference = PairedDifference(
            pairs: pairs.count, earlier: Double(pairs.reduce(0) { $0 + $1.earlier }) / count,
            later: Double(pairs.reduce(0) { $0 + $1.later }) / count, value: mean, test: .pairedT)
        guard pairs.count > 1 else { return difference }
        let error = ((count * squares - sum * sum) / (count * (count - 1)) / count).squareRoot()
        let halfWidth = StudentT.critical95(degreesOfFreedom: pairs.count - 1) * error
        difference.interval = Interval(low: mean - halfWidth, high: mean + halfWidth)
        if error > 0 { difference.p = StudentT.tails(beyond: abs(mean / error), degreesOfFreedom: count - 1) }
        return difference
    }

    /// The difference of shares: of the people who chose something in one round but not in the other. Nil without pairs.
    ///
    /// McNemar's test in its exact form, for any number of pairs: Q. McNemar, "Note on the sampling error of the
    /// difference between correlated proportions or percentages", Psychometrika 12 (1947). The interval is that of R. G.
    /// Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired data",
    /// Statistics in Medicine 17 (1998), method 10: Wilson's bounds of both shares, and their correlation with a
    /// continuity correction.
    public static func ofShares(_ pairs: [(earlier: Bool, later: Bool)]) -> PairedDifference? {
        let both = pairs.count { $0.earlier && $0.later }
        let (left, joined) = (pairs.count { $0.earlier && !$0.later }, pairs.count { !$0.earlier && $0.later })
        let neither = pairs.count - both - left - joined
        guard let old = Proportion(count: both + left, of: pairs.count),
            let new = Proportion(count: both + joined, of: pairs.count)
        else { return nil }
        let margins = [both + left, joined + neither, both + joined, left + neither]
        let spread = margins.reduce(1.0) { $0 * Double($1) }.squareRoot()
        var covariance = Double(both) * Double(neither) - Double(left) * Double(joined)
        if covariance > 0 { covariance = max(0, covariance - Double(pairs.count) / 2) }
        return PairedDifference(
            pairs: pairs.count, earlier: old.value, later: new.value,
            value: Double(joined - left) / Double(pairs.count),
            interval: interval(
                new.value, Interval(low: new.low, high: new.high), less: old.value,
                Interval(low: old.low, high: old.high), correlation: spread > 0 ? covariance / spread : 0),
            test: .mcNemar, p: SignFlips.probability(ones: left + joined, twos: 0, sum: joined - left))
    }

    /// The difference of net promoter scores. Nil without pairs.
    ///
    /// The test extends McNemar's to three groups: if nothing has changed, each person is as likely to have moved by as
    /// many groups upwards as downwards (R. A. Fisher, "The Design of Experiments", 1935, section 21). The interval is
    /// that of G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general approach",
    /// Statistics in Medicine 27 (2008), for correlated numbers, from the adjusted interval of each score.
    public static func ofScores(_ pairs: [(earlier: Int, later: Int)]) -> PairedDifference? {
        guard let old = NetPromoterScore(Distribution(pairs.map { ($0.earlier, 1) })),
            let new = NetPromoterScore(Distribution(pairs.map { ($0.later, 1) }))
        else { return nil }
        let groups = pairs.map { (earlier: group($0.earlier), later: group($0.later)) }
        let moves = groups.map { $0.later - $0.earlier }
        let interval = new.interval.flatMap { newInterval in
            old.interval.map {
                Self.interval(new.score, newInterval, less: old.score, $0, correlation: correlation(groups))
            }
        }
        return PairedDifference(
            pairs: pairs.count, earlier: old.score, later: new.score, value: new.score - old.score, interval: interval,
            test: .signFlips,
            p: SignFlips.probability(
                ones: moves.count { abs($0) == 1 }, twos: moves.count { abs($0) == 2 }, sum: moves.reduce(0, +)))
    }

    /// 1 for a promoter, 0 for a passive person and −1 for a detractor.
    private static func group(_ rating: Int) -> Int { rating >= 9 ? 1 : rating <= 6 ? -1 : 0 }

    /// Pearson's coefficient; 0 if one side does not vary.
    private static func correlation(_ pairs: [(earlier: Int, later: Int)]) -> Double {
        func product(_ x: (Int, Int) -> Int) -> Double { Double(pairs.reduce(0) { $0 + x($1.earlier, $1.later) }) }
        let (count, old, new) = (Double(pairs.count), product { x, _ in x }, product { _, y in y })
        let variances =
            (count * product { x, _ in x * x } - old * old) * (count * product { _, y in y * y } - new * new)
        return variances > 0 ? (count * product { x, y in x * y } - old * new) / variances.squareRoot() : 0
    }

    /// The interval of a difference from those of both numbers and their correlation. Without a correlation it is that of
    /// independent rounds.
    private static func interval(
        _ later: Double, _ laterInterval: Interval, less earlier: Double, _ earlierInterval: Interval,
        correlation: Double
    ) -> Interval {
        func distance(_ x: Double, _ y: Double) -> Double {
            max(0, x * x - 2 * correlation * x * y + y * y).squareRoot()
        }
        let difference = later - earlier
        return Interval(
            low: difference - distance(later - laterInterval.low, earlierInterval.high - earlier),
            high: difference + distance(laterInterval.high - later, earlier - earlierInterval.low))
    }
}
