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

/// The shrinkage of a group's mean toward the mean of all answers, because few answers are weak evidence.
///
/// The shrunk mean of a group is (weight · mean + Σx) / (weight + n), as if the group had `weight` more answers equal
/// to the overall mean. The weight is the credibility estimator of H. Bühlmann and E. Straub, "Glaubwürdigkeit für
/// Schadensätze", Mitteilungen der Vereinigung schweizerischer Versicherungsmathematiker 70 (1970): the variance within
/// groups divided by the variance between them, both estimated without bias from the groups themselves.
public struct Credibility: Sendable, Equatable {
    public enum Method: String, Sendable, CaseIterable {
        case buhlmannStraub = "buhlmann-straub"
        /// The mean number of answers per group, used if the variances cannot be estimated: fewer than two groups, no
        /// group with two answers, or groups that differ no more than their answers explain.
        case meanGroupSize = "mean-group-size"
    }

    /// The mean of all answers.
    public var mean: Double
    public var weight: Double
    /// The variance within groups. Nil if no group has two answers.
    public var within: Double?
    /// The variance between the groups' true means. Nil or not above 0 if it can't be estimated.
    public var between: Double?
    public var method: Method

    /// Restores the prior of an earlier page for the pages that follow.
    public init(mean: Double, weight: Double, within: Double?, between: Double?, method: Method) {
        self.mean = mean
        self.weight = weight
        self.within = within
        self.between = between
        self.method = method
    }

    /// Nil if there are no answers.
    public init?(of groups: [RatingSums]) {
        let groups = groups.filter { $0.count > 0 }
        let pooled = groups.reduce(RatingSums(count: 0, sum: 0, squares: 0), +)
        guard pooled.count > 0 else { return nil }
        let (total, groupCount) = (Double(pooled.count), Double(groups.count))
        mean = pooled.mean
        (weight, method) = (total / groupCount, .meanGroupSize)
        guard pooled.count > groups.count else { return }
        let within = groups.reduce(0) { $0 + $1.scatter } / Double(pooled.count - groups.count)
        self.within = within
        guard groups.count > 1 else { return }
        let squaresBetween = groups.reduce(0) { sum, group in
            let distance = group.mean - pooled.mean
            return sum + Double(group.count) * distance * distance
        }
        let sizes = groups.reduce(0) { $0 + Double($1.count) * Double($1.count) }
        let between = (squaresBetween - (groupCount - 1) * within) / (total - sizes / total)
        self.between = between
        if between > 0 { (weight, method) = (within / between, .buhlmannStraub) }
    }

    /// Whether these values can result from answers: neither the weight nor the variance within groups is negative, and
    /// a weight computed from both variances requires a positive variance between groups.
    public var isPossible: Bool {
        weight.isFinite && weight >= 0 && mean.isFinite && (within ?? 0) >= 0
            && (method != .buhlmannStraub || (within != nil && (between ?? 0) > 0))
    }

    public func shrunkMean(of group: RatingSums) -> Double {
        (weight * mean + Double(group.sum)) / (weight + Double(group.count))
    }

    /// The 95 % interval of the group's true mean, if groups and answers are normally distributed: shrunk mean ± z ·
    /// √(within / (weight + n)). Nil if the variance within groups is unknown.
    public func interval(_ group: RatingSums) -> Interval? {
        guard let within else { return nil }
        let halfWidth = StudentT.normalCritical95 * (within / (weight + Double(group.count))).squareRoot()
        let center = shrunkMean(of: group)
        return Interval(low: center - halfWidth, high: center + halfWidth)
    }
}
