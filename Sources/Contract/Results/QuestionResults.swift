/// The result of one question. Text questions have counts only. The summary exists for ratings only.
public struct QuestionResults: Codable, Sendable, Equatable {
    public struct Dataset: Codable, Sendable, Equatable {
        public var id: String
        public var label: String
        public var data: [Int]

        public init(id: String, label: String, data: [Int]) {
            self.id = id
            self.label = label
            self.data = data
        }
    }

    public struct Point: Codable, Sendable, Equatable {
        public var id: String
        public var label: String
        /// The rating. Left out for an option.
        public var value: Int?
        public var count: Int
        @ExplicitNull public var share: Double?
        @ExplicitNull public var low: Double?
        @ExplicitNull public var high: Double?

        public init(
            id: String, label: String, value: Int? = nil, count: Int, share: Double?, low: Double?, high: Double?
        ) {
            self.id = id
            self.label = label
            self.value = value
            self.count = count
            self.share = share
            self.low = low
            self.high = high
        }
    }

    /// The statistics of a rating question.
    public struct Summary: Codable, Sendable, Equatable {
        @ExplicitNull public var mean: Double?
        @ExplicitNull public var median: Double?
        @ExplicitNull public var standardDeviation: Double?
        /// The lower and the upper bound.
        @ExplicitNull public var confidence95: [Double]?
        /// The interpolated median. Nil without answers, and from services that do not compute it.
        @ExplicitNull public var groupedMedian: Double?
        /// Left out unless NPS is the question's metric. Null without answers.
        @WhereApplicable public var nps: NetPromoterScore?

        public init(
            mean: Double?, median: Double?, standardDeviation: Double?, confidence95: [Double]?,
            groupedMedian: Double? = nil, nps: NetPromoterScore? = nil
        ) {
            self.mean = mean
            self.median = median
            self.standardDeviation = standardDeviation
            self.confidence95 = confidence95
            self.groupedMedian = groupedMedian
            self.nps = nps
        }
    }

    public struct NetPromoterScore: Codable, Sendable, Equatable {
        public var score: Double
        @ExplicitNull public var low: Double?
        @ExplicitNull public var high: Double?
        public var promoters: Int
        public var passives: Int
        public var detractors: Int

        public init(score: Double, low: Double?, high: Double?, promoters: Int, passives: Int, detractors: Int) {
            self.score = score
            self.low = low
            self.high = high
            self.promoters = promoters
            self.passives = passives
            self.detractors = detractors
        }
    }

    /// What the answers say of the people in the room, some of whom were silent.
    public struct Room: Codable, Sendable, Equatable {
        /// Two statements about one number of the room.
        public struct Bounds: Codable, Sendable, Equatable {
            /// The 95 % interval if those who were silent are like the others. Null if nobody was silent, or if too few
            /// answered.
            @ExplicitNull public var ifAlike: [Double]?
            /// The bounds that hold whatever those who were silent think.
            public var certain: [Double]

            public init(ifAlike: [Double]?, certain: [Double]) {
                self.ifAlike = ifAlike
                self.certain = certain
            }
        }

        public var people: Int
        /// The people whose opinion is unknown: they did not answer, or their answer is withheld.
        public var silent: Int
        /// The statement to show first: `known` (everybody answered), `ifAlike`, `certain`, or `similarPeople` (the
        /// interval outside of `room`).
        public var first: String
        /// Whether too few people answered for `ifAlike` of the mean or the score.
        public var tooFewAnswers: Bool
        /// Ratings only.
        public var mean: Bounds?
        /// Left out unless NPS is the question's metric and there are answers.
        public var nps: Bounds?
        /// The shares of the buckets, in the order of the question's `points`.
        public var points: [Bounds]

        public init(
            people: Int, silent: Int, first: String, tooFewAnswers: Bool, mean: Bounds? = nil, nps: Bounds? = nil,
            points: [Bounds]
        ) {
            self.people = people
            self.silent = silent
            self.first = first
            self.tooFewAnswers = tooFewAnswers
            self.mean = mean
            self.nps = nps
            self.points = points
        }
    }

    public var key: String
    /// `choice`, `rating` or `text`.
    public var kind: String
    public var title: String
    /// The number of answers, from which the statistics are computed. Abstentions are not among them.
    public var answered: Int
    /// The number of submissions without an answer, among those that were asked.
    public var skipped: Int
    /// The number of submissions that abstained. Left out unless the question is a rating that offers an abstention.
    public var abstained: Int?
    /// The label of the abstention.
    public var abstain: String?
    /// The number of submissions that were asked. Others answered a version without the question, or gave answers after
    /// which it is not asked.
    public var asked: Int { answered + (abstained ?? 0) + skipped }
    /// The first and the last form version with the question. Left out if the result spans several forms.
    public var versions: [Int]?
    /// Whether the form's newest version no longer contains the question.
    public var retired: Bool?
    /// Text questions only: whether everyone who may see the results may read the texts.
    public var released: Bool?
    public var labels: [String]?
    public var datasets: [Dataset]?
    public var points: [Point]?
    /// Ratings only. In JSON, the fields of the summary are on the same level as those of the question.
    public var summary: Summary?
    /// The labels of the two ends of the scale, if the host set them.
    public var minLabel: String?
    public var maxLabel: String?
    /// The grid of which a rating is a statement.
    public var grid: QuestionBody.Grid?
    /// Left out if the number of people in the room is unknown, and for texts, withheld numbers and conditional questions.
    public var room: Room?

    private enum CodingKeys: CodingKey {
        case key, kind, title, answered, skipped, asked, versions, retired, released, labels, datasets, points
        case minLabel, maxLabel, room, abstained, abstain, grid
    }

    public init(
        key: String, kind: String, title: String, answered: Int, skipped: Int, versions: [Int]? = nil,
        retired: Bool? = nil,
        released: Bool? = nil, labels: [String]? = nil, datasets: [Dataset]? = nil, points: [Point]? = nil,
        summary: Summary? = nil, minLabel: String? = nil, maxLabel: String? = nil, room: Room? = nil,
        abstained: Int? = nil, abstain: String? = nil
    ) {
        self.key = key
        self.kind = kind
        self.title = title
        self.answered = answered
        self.skipped = skipped
        self.versions = versions
        self.retired = retired
        self.released = released
        self.labels = labels
        self.datasets = datasets
        self.points = points
        self.summary = summary
        self.minLabel = minLabel
        self.maxLabel = maxLabel
        self.room = room
        self.abstained = abstained
        self.abstain = abstain
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try container.decode(String.self, forKey: .kind)
        self.init(
            key: try container.decode(String.self, forKey: .key), kind: kind,
            title: try container.decode(String.self, forKey: .title),
            answered: try container.decode(Int.self, forKey: .answered),
            skipped: try container.decode(Int.self, forKey: .skipped),
            versions: try container.decodeIfPresent([Int].self, forKey: .versions),
            retired: try container.decodeIfPresent(Bool.self, forKey: .retired),
            released: try container.decodeIfPresent(Bool.self, forKey: .released),
            labels: try container.decodeIfPresent([String].self, forKey: .labels),
            datasets: try container.decodeIfPresent([Dataset].self, forKey: .datasets),
            points: try container.decodeIfPresent([Point].self, forKey: .points),
            summary: kind == "rating" ? try Summary(from: decoder) : nil,
            minLabel: try container.decodeIfPresent(String.self, forKey: .minLabel),
            maxLabel: try container.decodeIfPresent(String.self, forKey: .maxLabel),
            room: try container.decodeIfPresent(Room.self, forKey: .room),
            abstained: try container.decodeIfPresent(Int.self, forKey: .abstained),
            abstain: try container.decodeIfPresent(String.self, forKey: .abstain))
        grid = try container.decodeIfPresent(QuestionBody.Grid.self, forKey: .grid)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(key, forKey: .key)
        try container.encode(kind, forKey: .kind)
        try container.encode(title, forKey: .title)
        try container.encode(answered, forKey: .answered)
        try container.encode(skipped, forKey: .skipped)
        try container.encodeIfPresent(abstained, forKey: .abstained)
        try container.encodeIfPresent(abstain, forKey: .abstain)
        try container.encode(asked, forKey: .asked)
        try container.encodeIfPresent(versions, forKey: .versions)
        try container.encodeIfPresent(retired, forKey: .retired)
        try container.encodeIfPresent(released, forKey: .released)
        try container.encodeIfPresent(labels, forKey: .labels)
        try container.encodeIfPresent(datasets, forKey: .datasets)
        try container.encodeIfPresent(points, forKey: .points)
        try summary?.encode(to: encoder)
        try container.encodeIfPresent(minLabel, forKey: .minLabel)
        try container.encodeIfPresent(maxLabel, forKey: .maxLabel)
        try container.encodeIfPresent(grid, forKey: .grid)
        try container.encodeIfPresent(room, forKey: .room)
    }
}
