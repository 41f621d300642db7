#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One page of series or meetings in the order of their shrunk means.
public struct Ranking: Codable, Sendable, Equatable {
    public struct Scale: Codable, Sendable, Equatable {
        public var min: Int
        public var max: Int

        public init(min: Int, max: Int) {
            self.min = min
            self.max = max
        }
    }

    /// Every mean is drawn towards `mean` as by `weight` further answers.
    public struct Prior: Codable, Sendable, Equatable {
        public var mean: Double
        public var weight: Double
        /// `buhlmann-straub` or `mean-group-size`.
        public var method: String
        /// The estimated variances of answers within groups and between groups' means.
        @ExplicitNull public var within: Double?
        @ExplicitNull public var between: Double?

        public init(mean: Double, weight: Double, method: String, within: Double?, between: Double?) {
            self.mean = mean
            self.weight = weight
            self.method = method
            self.within = within
            self.between = between
        }
    }

    public var key: String
    /// `series` or `meeting`.
    public var by: String
    public var scale: Scale
    /// Nil where nobody answered.
    @ExplicitNull public var prior: Prior?
    /// Meetings whose question of this key has another scale, or is no rating.
    public var leftOut: Int
    public var items: [RankedGroup]
    @ExplicitNull public var next: String?

    public init(
        key: String, by: String, scale: Scale, prior: Prior?, leftOut: Int, items: [RankedGroup], next: String?
    ) {
        self.key = key
        self.by = by
        self.scale = scale
        self.prior = prior
        self.leftOut = leftOut
        self.items = items
        self.next = next
    }
}

/// A series' or a meeting's place in a ranking.
public struct RankedGroup: Codable, Sendable, Equatable {
    /// The same for equal shrunk means.
    public var rank: Int
    public var seriesId: ResourceID
    public var series: String
    /// Left out of a ranking of series, as `round`.
    public var meetingId: ResourceID?
    public var round: Int?
    /// Nil of an undated meeting too.
    @WhereApplicable public var startsAt: Date?
    public var title: String
    public var n: Int
    /// Of its own answers alone.
    public var mean: Double
    public var shrunk: Double
    /// The 95 % interval of the shrunk mean.
    @ExplicitNull public var low: Double?
    @ExplicitNull public var high: Double?

    public init(
        rank: Int, seriesId: ResourceID, series: String, meetingId: ResourceID? = nil, round: Int? = nil,
        startsAt: Date? = nil, title: String, n: Int, mean: Double, shrunk: Double, low: Double?, high: Double?
    ) {
        self.rank = rank
        self.seriesId = seriesId
        self.series = series
        self.meetingId = meetingId
        self.round = round
        self.startsAt = startsAt
        self.title = title
        self.n = n
        self.mean = mean
        self.shrunk = shrunk
        self.low = low
        self.high = high
    }
}
