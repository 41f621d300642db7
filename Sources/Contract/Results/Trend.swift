#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One question over the rounds of a series. Each list has an element a round; what a round does not have is nil.
public struct Trend: Codable, Sendable, Equatable {
    /// One number over the rounds.
    public struct Dataset: Codable, Sendable, Equatable {
        /// `mean` and `nps` of a rating, an option's id, `answered` of a text.
        public var id: String
        public var label: String
        public var data: [Double?]
        /// The bounds of each number's 95 % interval.
        public var low: [Double?]
        public var high: [Double?]
        /// Against the last earlier round that has a number, with the bounds of the difference.
        public var change: [Double?]
        public var changeLow: [Double?]
        public var changeHigh: [Double?]

        public init(
            id: String, label: String, data: [Double?], low: [Double?], high: [Double?], change: [Double?],
            changeLow: [Double?], changeHigh: [Double?]
        ) {
            self.id = id
            self.label = label
            self.data = data
            self.low = low
            self.high = high
            self.change = change
            self.changeLow = changeLow
            self.changeHigh = changeHigh
        }
    }

    /// What became other about the question, by the round and the version of its form that brought it.
    public struct Change: Codable, Sendable, Equatable {
        public var round: Int
        public var version: Int
        /// As in the results of one form, `reworded`, `option-added` …; between rounds also `kind` and `scale`.
        public var change: String
        @ExplicitNull public var option: String?
        @ExplicitNull public var from: String?
        @ExplicitNull public var to: String?

        public init(round: Int, version: Int, change: String, option: String? = nil, from: String?, to: String?) {
            self.round = round
            self.version = version
            self.change = change
            self.option = option
            self.from = from
            self.to = to
        }
    }

    public var seriesId: ResourceID
    public var key: String
    public var kind: String
    /// As the newest of these rounds that asks it does, else the newest of all.
    public var title: String
    /// `#1 5 Nov`, with the year where the rounds are of several.
    public var labels: [String]
    public var rounds: [Int]
    public var meetingIds: [ResourceID]
    public var startsAt: [Date?]
    /// How many answers the numbers of a round are of.
    public var n: [Int?]
    public var responseRate: [Double?]
    public var datasets: [Dataset]
    public var changes: [Change]
    /// There were older changes, of which nothing is told.
    public var changesCut: Bool
    /// Rounds whose question of this key is of another kind or scale.
    public var leftOut: [Int]

    public init(
        seriesId: ResourceID, key: String, kind: String, title: String, labels: [String], rounds: [Int],
        meetingIds: [ResourceID], startsAt: [Date?], n: [Int?], responseRate: [Double?], datasets: [Dataset],
        changes: [Change], changesCut: Bool = false, leftOut: [Int]
    ) {
        self.seriesId = seriesId
        self.key = key
        self.kind = kind
        self.title = title
        self.labels = labels
        self.rounds = rounds
        self.meetingIds = meetingIds
        self.startsAt = startsAt
        self.n = n
        self.responseRate = responseRate
        self.datasets = datasets
        self.changes = changes
        self.changesCut = changesCut
        self.leftOut = leftOut
    }
}
