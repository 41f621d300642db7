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
        /// Left out unless NPS is the question's metric. Null without answers.
        @WhereApplicable public var nps: NetPromoterScore?

        public init(
            mean: Double?, median: Double?, standardDeviation: Double?, confidence95: [Double]?,
            nps: NetPromoterScore? = nil
        ) {
            self.mean = mean
            self.median = median
            self.standardDeviation = standardDeviation
            self.confidence95 = confidence95
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

    public var key: String
    /// `choice`, `rating` or `text`.
    public var kind: String
    public var title: String
    public var answered: Int
    /// The number of submissions without an answer, among those that were asked.
    public var skipped: Int
    /// The number of submissions that were asked. Others answered a version without the question, or gave answers after
    /// which it is not asked.
    public var asked: Int { answered + skipped }
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

    private enum CodingKeys: CodingKey {
        case key, kind, title, answered, skipped, asked, versions, retired, released, labels, datasets, points
        case minLabel, maxLabel
    }

    public init(
        key: String, kind: String, title: String, answered: Int, skipped: Int, versions: [Int]? = nil,
        retired: Bool? = nil,
        released: Bool? = nil, labels: [String]? = nil, datasets: [Dataset]? = nil, points: [Point]? = nil,
        summary: Summary? = nil, minLabel: String? = nil, maxLabel: String? = nil
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
            maxLabel: try container.decodeIfPresent(String.self, forKey: .maxLabel))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(key, forKey: .key)
        try container.encode(kind, forKey: .kind)
        try container.encode(title, forKey: .title)
        try container.encode(answered, forKey: .answered)
        try container.encode(skipped, forKey: .skipped)
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
    }
}
