import Foundation

/// One question from round to round. The lists contain one element for each round, which is nil if the round has no
/// value.
public struct Trend: Codable, Sendable, Equatable {
    /// One line of numbers, with an element for each round.
    public struct Dataset: Codable, Sendable, Equatable {
        /// `mean` or `nps` of a rating, an option's id, or `answered` of a text.
        public var id: String
        public var label: String
        public var data: [Double?]
        /// The bounds of the 95 % intervals.
        public var low: [Double?]
        public var high: [Double?]
        /// The difference from the last earlier round that has a number. `changeLow` and `changeHigh` are the bounds of
        /// its 95 % interval.
        public var change: [Double?]
        public var changeLow: [Double?]
        public var changeHigh: [Double?]
        /// Left out if the number of people is unknown in all rounds, and for a text.
        public var room: Room?

        public init(
            id: String, label: String, data: [Double?], low: [Double?], high: [Double?], change: [Double?],
            changeLow: [Double?], changeHigh: [Double?], room: Room? = nil
        ) {
            self.id = id
            self.label = label
            self.data = data
            self.low = low
            self.high = high
            self.change = change
            self.changeLow = changeLow
            self.changeHigh = changeHigh
            self.room = room
        }
    }

    /// What the numbers of a line say of the people in the rooms, some of whom were silent.
    public struct Room: Codable, Sendable, Equatable {
        /// The bounds of the 95 % intervals if those who were silent are like the others.
        public var low: [Double?]
        public var high: [Double?]
        /// The bounds that hold whatever those who were silent think.
        public var certainLow: [Double?]
        public var certainHigh: [Double?]
        /// The statement about the number to show first, as in `QuestionResults.Room`.
        public var first: [String?]
        /// The same bounds of the change.
        public var changeLow: [Double?]
        public var changeHigh: [Double?]
        public var certainChangeLow: [Double?]
        public var certainChangeHigh: [Double?]
        /// The statement about the change to show first, as in `QuestionResults.Room`.
        public var changeFirst: [String?]

        public init(
            low: [Double?], high: [Double?], certainLow: [Double?], certainHigh: [Double?], first: [String?],
            changeLow: [Double?], changeHigh: [Double?], certainChangeLow: [Double?], certainChangeHigh: [Double?],
            changeFirst: [String?]
        ) {
            self.low = low
            self.high = high
            self.certainLow = certainLow
            self.certainHigh = certainHigh
            self.first = first
            self.changeLow = changeLow
            self.changeHigh = changeHigh
            self.certainChangeLow = certainChangeLow
            self.certainChangeHigh = certainChangeHigh
            self.changeFirst = changeFirst
        }
    }

    /// A change of the question, with the round and the form version that introduced it.
    public struct Change: Codable, Sendable, Equatable {
        public var round: Int
        public var version: Int
        /// `reworded`, `option-added` and so on, as in the results of one form; between rounds also `kind` and `scale`.
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
    /// The title in the newest of these rounds that contains the question. If none contains it, the title in the newest
    /// round of the series that does.
    public var title: String
    /// Labels such as `#1 5 Nov`, with the year if the rounds span several years.
    public var labels: [String]
    public var rounds: [Int]
    public var meetingIds: [ResourceID]
    public var startsAt: [Date?]
    /// The number of answers from which the numbers of each round are computed.
    public var n: [Int?]
    /// The number of submissions that were asked in each round, and of those without an answer among them. Nil if the
    /// service is older than this.
    public var asked: [Int?]?
    public var skipped: [Int?]?
    public var responseRate: [Double?]
    public var datasets: [Dataset]
    public var changes: [Change]
    /// Whether older changes were left out.
    public var changesCut: Bool
    /// The rounds whose question with this key has another kind or scale, or is single instead of multiple or vice
    /// versa.
    public var leftOut: [Int]

    public init(
        seriesId: ResourceID, key: String, kind: String, title: String, labels: [String], rounds: [Int],
        meetingIds: [ResourceID], startsAt: [Date?], n: [Int?], asked: [Int?]? = nil, skipped: [Int?]? = nil,
        responseRate: [Double?], datasets: [Dataset],
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
        self.asked = asked
        self.skipped = skipped
        self.responseRate = responseRate
        self.datasets = datasets
        self.changes = changes
        self.changesCut = changesCut
        self.leftOut = leftOut
    }
}
