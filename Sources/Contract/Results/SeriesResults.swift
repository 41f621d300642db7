import Foundation

/// The pooled results of the rounds of a series.
public struct SeriesResults: Codable, Sendable, Equatable {
    /// Explains why the results show fewer submissions than there are.
    public struct Withheld: Codable, Sendable, Equatable {
        /// Always `minimum-group`.
        public var reason: String
        /// The smallest minimum group among the rounds that withhold submissions.
        public var minimum: Int
        public var shown: Int
        /// The rounds that withhold submissions.
        public var rounds: [Int]

        public init(reason: String, minimum: Int, shown: Int, rounds: [Int]) {
            self.reason = reason
            self.minimum = minimum
            self.shown = shown
            self.rounds = rounds
        }
    }

    /// A change of a question, with the round and the form version that introduced it.
    public struct Change: Codable, Sendable, Equatable {
        public var key: String
        public var round: Int
        public var version: Int
        /// A value as in `Trend.Change`.
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
        /// In JSON, the fields of the results are on the same level as `rounds` and `leftOut`.
        public var results: QuestionResults
        /// The number of rounds with this question.
        public var rounds: Int
        /// The rounds whose question with this key has another kind or scale, or is single instead of multiple or vice
        /// versa.
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
    /// How the questions changed between the rounds that these results combine, oldest first.
    public var changes: [Change]
    /// Whether older changes were left out.
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
