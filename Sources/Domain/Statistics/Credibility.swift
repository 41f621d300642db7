/// The number, the sum and the sum of squares of a group's ratings. A ranking needs nothing else.
public struct RatingSums: Sendable, Equatable {
    public var count: Int
    public var sum: Int
    public var squares: Int

    public init(count: Int, sum: Int, squares: Int) {
        self.count = count
        self.sum = sum
        self.squares = squares
    }

    public static func + (left: RatingSums, right: RatingSums) -> RatingSums {
        RatingSums(count: left.count + right.count, sum: left.sum + right.sum, squares: left.squares + right.squares)
    }

    var mean: Double { Double(sum) / Double(count) }

    /// Σ(x − x̄)², computed from integers, which avoids cancellation.
    var scatter: Double {
        (Double(count) * Double(squares) - Double(sum) * Double(sum)) / Double(count)
    }
}

/// The shrinkage of a group's mean toward a mean of all groups, because few answers are weak evidence.
///
/// The shrunk mean of a group is (weight · mean + Σx) / (weight + n), as if the group had `weight` more answers equal
/// to the prior mean. The weight is the credibility estimator of H. Bühlmann and E. Straub, "Glaubwürdigkeit für
/// Schadensätze", Mitteilungen der Vereinigung schweizerischer Versicherungsmathematiker 70 (1970): the variance within
/// groups divided by the variance between them, both estimated without bias from the groups themselves.
///
/// The prior mean weighs each group's mean with its credibility, Z = n / (weight + n): S. A. Klugman, H. H. Panjer,
/// G. E. Willmot, "Loss Models", the chapter on empirical Bayes estimation. In the mean of all answers, one large group
/// would outweigh all others.
public struct Credibility: Sendable, Equatable {
    public enum Method: String, Sendable, CaseIterable {
        case buhlmannStraub = "buhlmann-straub"
        /// The mean number of answers per group, used if the variances cannot be estimated: fewer than two groups, no
        /// group with two answers, or groups that differ no more than their answers explain.
        case meanGroupSize = "mean-group-size"
    }

    /// The prior mean, ΣZx̄ / ΣZ.
    public var mean: Double
    public var weight: Double
    /// The variance within groups. Nil if no group has two answers.
    public var within: Double?
    /// The variance between the groups' true means. Nil or not above 0 if it can't be estimated.
    public var between: Double?
    public var method: Method
    /// What the values were estimated from.
    public var base: Base

    /// The groups from which a prior was estimated.
    public struct Base: Sendable, Equatable {
        /// The number of groups with answers.
        public var groups: Int
        /// The number of all answers.
        public var answers: Int
        /// The sum of the groups' credibilities, ΣZ.
        public var credibility: Double

        public init(groups: Int, answers: Int, credibility: Double) {
            self.groups = groups
            self.answers = answers
            self.credibility = credibility
        }
    }

    /// Restores the prior of an earlier page for the pages that follow.
    public init(mean: Double, weight: Double, within: Double?, between: Double?, method: Method, base: Base) {
        self.mean = mean
        self.weight = weight
        self.within = within
        self.between = between
        self.method = method
        self.base = base
    }

    /// Nil if there are no answers.
    public init?(of groups: [RatingSums]) {
        let groups = groups.filter { $0.count > 0 }
        let pooled = groups.reduce(RatingSums(count: 0, sum: 0, squares: 0), +)
        guard pooled.count > 0 else { return nil }
        (within, between) = Self.variances(of: groups, pooled)
        if let within, let between, between > 0 {
            (weight, method) = (within / between, .buhlmannStraub)
        } else {
            (weight, method) = (Double(pooled.count) / Double(groups.count), .meanGroupSize)
        }
        let weight = weight
        let credibilities = groups.map { Double($0.count) / (weight + Double($0.count)) }
        let sum = credibilities.reduce(0, +)
        mean = zip(groups, credibilities).reduce(0) { $0 + $1.1 * $1.0.mean } / sum
        base = Base(groups: groups.count, answers: pooled.count, credibility: sum)
    }

    /// The variances within and between the groups, as far as they can be estimated.
    private static func variances(
        of groups: [RatingSums], _ pooled: RatingSums
    ) -> (within: Double?, between: Double?) {
        guard pooled.count > groups.count else { return (nil, nil) }
        let within = groups.reduce(0) { $0 + $1.scatter } / Double(pooled.count - groups.count)
        guard groups.count > 1 else { return (within, nil) }
        let squaresBetween = groups.reduce(0) { sum, group in
            let distance = group.mean - pooled.mean
            return sum + Double(group.count) * distance * distance
        }
        let (total, sizes) = (Double(pooled.count), groups.reduce(0) { $0 + Double($1.count) * Double($1.count) })
        return (within, (squaresBetween - Double(groups.count - 1) * within) / (total - sizes / total))
    }

    /// Whether these values can result from answers: neither the weight nor the variance within groups is negative, and
    /// a weight computed from both variances requires a positive variance between groups.
    public var isPossible: Bool {
        weight.isFinite && weight >= 0 && mean.isFinite && (within ?? 0) >= 0
            && (method != .buhlmannStraub || (within != nil && (between ?? 0) > 0))
            && base.groups > 0 && base.answers >= base.groups && (within == nil || base.answers > base.groups)
            && base.credibility > 0
            && base.credibility <= Double(base.groups)
    }

    public func shrunkMean(of group: RatingSums) -> Double {
        (weight * mean + Double(group.sum)) / (weight + Double(group.count))
    }

    /// The 95 % interval of the group's true mean, if groups and answers are normally distributed: shrunk mean ± t(ν) ·
    /// √(within / (weight + n) · (1 + (1 − Z) / ΣZ) + 2 / (r − 1) · (1 − Z)² · (x̄ − mean)²). Nil if the variance within
    /// groups is unknown.
    ///
    /// The second summand in parentheses is the uncertainty of the prior mean, and the last one that of the weight: C. N.
    /// Morris, "Parametric empirical Bayes inference: theory and applications", JASA 78 (1983). The degrees of freedom ν
    /// = 1 / (Z² / (N − r) + (1 − Z)² / (r − 1)) are between those of the variance within and between groups, as in
    /// Satterthwaite's approximation. A single group has the interval of Student's t.
    public func interval(_ group: RatingSums) -> Interval? {
        guard let within else { return nil }
        let n = Double(group.count)
        let (own, prior) = (n / (weight + n), weight / (weight + n))
        var variance = within / (weight + n) * (1 + prior / base.credibility)
        var inverseDegrees = 1 / Double(base.answers - base.groups)
        if base.groups > 1 {
            let (distance, degreesBetween) = (group.mean - mean, Double(base.groups - 1))
            variance += 2 / degreesBetween * prior * prior * distance * distance
            inverseDegrees = own * own * inverseDegrees + prior * prior / degreesBetween
        }
        let halfWidth = StudentT.critical95(degreesOfFreedom: 1 / inverseDegrees) * variance.squareRoot()
        let center = shrunkMean(of: group)
        return Interval(low: center - halfWidth, high: center + halfWidth)
    }
}
