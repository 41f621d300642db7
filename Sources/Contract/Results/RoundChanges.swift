/// How the numbers of a meeting differ from those of the last earlier round that has them, for all questions at once.
public struct RoundChanges: Codable, Sendable, Equatable {
    /// The change of the people who answered in both rounds, each of whom is compared with themselves.
    public struct Pairs: Codable, Sendable, Equatable {
        /// The number of people.
        public var n: Int
        /// Their number in the earlier and in the later round.
        public var earlier: Double
        public var later: Double
        public var change: Double
        /// The bounds of the 95 % interval of the change.
        @ExplicitNull public var low: Double?
        @ExplicitNull public var high: Double?
        /// `paired-t`, `mcnemar` or `sign-flips`.
        public var test: String
        /// How often chance alone would show at least this change. Nil if all pairs of a mean differ by the same number.
        @ExplicitNull public var p: Double?
        /// The p value by Holm, for all `comparisons` of the response.
        @ExplicitNull public var adjustedP: Double?

        public init(
            n: Int, earlier: Double, later: Double, change: Double, low: Double?, high: Double?, test: String,
            p: Double?, adjustedP: Double?
        ) {
            self.n = n
            self.earlier = earlier
            self.later = later
            self.change = change
            self.low = low
            self.high = high
            self.test = test
            self.p = p
            self.adjustedP = adjustedP
        }
    }

    /// A number of the meeting with its change.
    public struct Number: Codable, Sendable, Equatable {
        /// `mean` or `nps` of a rating, or an option's id.
        public var id: String
        public var label: String
        /// The round with which the number is compared.
        public var sinceMeetingId: ResourceID
        public var sinceRound: Int
        public var value: Double
        /// The change between all answers of both rounds, with its 95 % interval for independent rounds.
        public var change: Double
        @ExplicitNull public var low: Double?
        @ExplicitNull public var high: Double?
        /// Nil if `unpaired` says why.
        @ExplicitNull public var pairs: Pairs?
        /// `not-named`, `withheld`, `too-few` or `too-many`. Nil if there are pairs.
        @ExplicitNull public var unpaired: String?

        public init(
            id: String, label: String, sinceMeetingId: ResourceID, sinceRound: Int, value: Double, change: Double,
            low: Double?, high: Double?, pairs: Pairs?, unpaired: String?
        ) {
            self.id = id
            self.label = label
            self.sinceMeetingId = sinceMeetingId
            self.sinceRound = sinceRound
            self.value = value
            self.change = change
            self.low = low
            self.high = high
            self.pairs = pairs
            self.unpaired = unpaired
        }
    }

    /// A question with the changes of its numbers.
    public struct Question: Codable, Sendable, Equatable {
        public var key: String
        /// `choice` or `rating`.
        public var kind: String
        public var title: String
        public var numbers: [Number]

        public init(key: String, kind: String, title: String, numbers: [Number]) {
            self.key = key
            self.kind = kind
            self.title = title
            self.numbers = numbers
        }
    }

    public var meetingId: ResourceID
    public var seriesId: ResourceID
    public var round: Int
    /// The smallest number of people who are compared with themselves.
    public var minimumPairs: Int
    /// The number of p values, for which each is adjusted.
    public var comparisons: Int
    /// The questions with a number that an earlier round has too.
    public var questions: [Question]

    public init(
        meetingId: ResourceID, seriesId: ResourceID, round: Int, minimumPairs: Int, comparisons: Int,
        questions: [Question]
    ) {
        self.meetingId = meetingId
        self.seriesId = seriesId
        self.round = round
        self.minimumPairs = minimumPairs
        self.comparisons = comparisons
        self.questions = questions
    }
}
