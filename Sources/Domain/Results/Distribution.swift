/// Whole numbers with their counts. The statistics of a rating are computed from these.
public struct Distribution: Sendable {
    /// Ascending by value, without counts of 0.
    public let counts: [(value: Int, count: Int)]
    public let count: Int

    public init(_ counts: [(value: Int, count: Int)]) {
        self.counts = counts.filter { $0.count > 0 }.sorted { $0.value < $1.value }
        count = self.counts.reduce(0) { $0 + $1.count }
    }

    public var mean: Double? {
        guard count > 0 else { return nil }
        return Double(sum) / Double(count)
    }

    var sum: Int { counts.reduce(0) { $0 + $1.value * $1.count } }

    /// The midpoint of the two middle answers, which are the same answer if the number of answers is odd.
    public var median: Double? {
        guard count > 0 else { return nil }
        return Double(value(at: (count - 1) / 2) + value(at: count / 2)) / 2
    }

    /// The median if the answers of each value v were spread evenly over v − ½ … v + ½: with F answers below the
    /// median's value and f of it, v − ½ + (n/2 − F) / f.
    ///
    /// On a scale of few steps it moves with every answer, while the median stays on a step. R. F. Mould, "Introductory
    /// Medical Statistics", third edition (1998), and Python's `statistics.median_grouped`.
    public var groupedMedian: Double? {
        guard count > 0 else { return nil }
        var below = 0
        for entry in counts {
            if 2 * (below + entry.count) > count {
                return Double(entry.value) - 0.5 + (Double(count) / 2 - Double(below)) / Double(entry.count)
            }
            below += entry.count
        }
        return nil
    }

    /// The standard deviation of a sample: the sum of squared deviations is divided by n − 1.
    public var standardDeviation: Double? {
        guard let mean, count > 1 else { return nil }
        let squares = counts.reduce(0) { sum, entry in
            let deviation = Double(entry.value) - mean
            return sum + Double(entry.count) * deviation * deviation
        }
        return (squares / Double(count - 1)).squareRoot()
    }

    /// The confidence interval of the mean by Student's t: mean ± t(0.975, n − 1) · s / √n.
    ///
    /// Student, "The probable error of a mean", Biometrika 6 (1908). The interval is not clipped to the scale: with few
    /// answers it may extend beyond the ends of the scale, which shows how little is known.
    public var confidence95: Interval? {
        guard let mean, let standardDeviation else { return nil }
        let halfWidth =
            StudentT.critical95(degreesOfFreedom: count - 1) * standardDeviation / Double(count).squareRoot()
        return Interval(low: mean - halfWidth, high: mean + halfWidth)
    }

    func count(where include: (Int) -> Bool) -> Int {
        counts.reduce(0) { $0 + (include($1.value) ? $1.count : 0) }
    }

    private func value(at index: Int) -> Int {
        var cumulativeCount = 0
        for entry in counts {
            cumulativeCount += entry.count
            if cumulativeCount > index { return entry.value }
        }
        return counts.last?.value ?? 0
    }
}
