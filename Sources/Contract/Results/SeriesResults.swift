#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The results of the rounds of a series counted together.
public struct SeriesResults: Codable, Sendable, Equatable {
    /// Why less is shown than was submitted.
    public struct Withheld: Codable, Sendable, Equatable {
        /// `minimum-group`
        public var reason: String
        /// The least minimum of the rounds that show less than they have.
        public var minimum: Int
        public var shown: Int
        public var rounds: [Int]

        public init(reason: String, minimum: Int, shown: Int, rounds: [Int]) {
            self.reason = reason
            self.minimum = minimum
            self.shown = shown
            self.rounds = rounds
        }
    }

    /// What became other about a question, by the round and the version of its form that brought it.
    public struct Change: Codable, Sendable, Equatable {
        public var key: String
        public var round: Int
        public var version: Int
        /// As in a trend.
        public var change: String
        @ExplicitNull public var option: String?
        @ExplicitNull public var from: String?
        @ExplicitNull public var to: String?

        public init(
            key: String, round: Int, version: Int, change: String, option: String? = nil, from: String?, to: String?
        ) {
            self.key = key
            self.round = round
            self.version = version
            self.change = change
            self.option = option
            self.from = from
            self.to = to
        }
    }

    public struct Question: Codable, Sendable, Equatable {
        /// On the same level in JSON.
        public var results: QuestionResults
        /// Rounds that asked it.
        public var rounds: Int
        /// Rounds whose question of this key is of another kind or scale.
        public var leftOut: [Int]

        private enum CodingKeys: CodingKey {
            case rounds, leftOut
        }

        public init(results: QuestionResults, rounds: Int, leftOut: [Int]) {
            self.results = results
            self.rounds = rounds
            self.leftOut = leftOut
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                results: try QuestionResults(from: decoder), rounds: try container.decode(Int.self, forKey: .rounds),
                leftOut: try container.decode([Int].self, forKey: .leftOut))
        }

        public func encode(to encoder: any Encoder) throws {
            try results.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(rounds, forKey: .rounds)
            try container.encode(leftOut, forKey: .leftOut)
        }
    }

    public var seriesId: ResourceID
    @ExplicitNull public var from: Date?
    @ExplicitNull public var to: Date?
    public var rounds: [Int]
    public var submissions: Int
    @ExplicitNull public var headcount: Int?
    public var attended: Int
    @ExplicitNull public var responseRate: Double?
    /// `headcount`, `attended` or `mixed`.
    @ExplicitNull public var responseBase: String?
    @ExplicitNull public var withheld: Withheld?
    public var questions: [Question]
    /// What the rounds that are mixed here ask otherwise than the one before, oldest first.
    public var changes: [Change]
    /// There were older changes, of which nothing is told.
    public var changesCut: Bool

    public init(
        seriesId: ResourceID, from: Date?, to: Date?, rounds: [Int], submissions: Int, headcount: Int?, attended: Int,
        responseRate: Double?, responseBase: String?, withheld: Withheld?, questions: [Question],
        changes: [Change] = [], changesCut: Bool = false
    ) {
        self.seriesId = seriesId
        self.from = from
        self.to = to
        self.rounds = rounds
        self.submissions = submissions
        self.headcount = headcount
        self.attended = attended
        self.responseRate = responseRate
        self.responseBase = responseBase
        self.withheld = withheld
        self.questions = questions
        self.changes = changes
        self.changesCut = changesCut
    }
}
