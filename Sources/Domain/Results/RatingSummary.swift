/// The statistics of a rating.
public struct RatingSummary: Sendable, Equatable {
    public var metric: Question.Rating.Metric
    public var mean: Double?
    public var median: Double?
    public var groupedMedian: Double?
    public var standardDeviation: Double?
    public var confidence95: Interval?
    /// Nil unless NPS is the metric and there are answers.
    public var nps: NetPromoterScore?

    init(_ distribution: Distribution, metric: Question.Rating.Metric) {
        self.metric = metric
        mean = distribution.mean
        median = distribution.median
        groupedMedian = distribution.groupedMedian
        standardDeviation = distribution.standardDeviation
        confidence95 = distribution.confidence95
        nps = metric == .nps ? NetPromoterScore(distribution) : nil
    }
}

/// The bounds of a confidence interval, both inclusive.
public struct Interval: Sendable, Equatable {
    public var low: Double
    public var high: Double

    public init(low: Double, high: Double) {
        self.low = low
        self.high = high
    }

    /// The part within a rating's scale. A mean cannot be outside the scale, and bounds outside of it would confuse
    /// readers.
    public func clipped(to scale: ClosedRange<Int>) -> Interval {
        Interval(low: max(low, Double(scale.lowerBound)), high: min(high, Double(scale.upperBound)))
    }
}
