import Foundation

/// One page of a ranking of series or meetings by their shrunk means.
public struct Ranking: Codable, Sendable, Equatable {
    public struct Scale: Codable, Sendable, Equatable {
        public var min: Int
        public var max: Int

        public init(min: Int, max: Int) {
            self.min = min
            self.max = max
        }
    }

    /// The prior, which pulls each mean toward `mean` as `weight` additional answers would.
    public struct Prior: Codable, Sendable, Equatable {
        public var mean: Double
        public var weight: Double
        /// `buhlmann-straub` or `mean-group-size`.
        public var method: String
        /// The estimated variance of the answers within groups (`within`), and of the means between groups (`between`).
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
    /// Nil if there are no answers.
    @ExplicitNull public var prior: Prior?
    /// The number of meetings whose question with this key has another scale or is not a rating.
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

/// The rank of one series or meeting.
public struct RankedGroup: Codable, Sendable, Equatable {
    /// Groups with equal shrunk means have the same rank.
    public var rank: Int
    public var seriesId: ResourceID
    public var series: String
    /// Left out of a ranking of series, like `round`.
    public var meetingId: ResourceID?
    public var round: Int?
    /// Null if the meeting has no date.
    @WhereApplicable public var startsAt: Date?
    public var title: String
    /// The number of answers.
    public var n: Int
    /// The mean of the group's own answers.
    public var mean: Double
    /// The shrunk mean.
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
