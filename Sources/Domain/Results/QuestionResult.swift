/// The result of one question in two formats for charts: `labels` and `datasets` for Chart.js, `points` for other
/// libraries.
public struct QuestionResult: Sendable, Equatable {
    public struct Dataset: Sendable, Equatable {
        public var id: String
        public var label: String
        public var data: [Int]
    }

    /// One bucket. The share is relative to the answers, and `low` and `high` are Wilson's 95 % bounds. All three are
    /// nil if there are no answers.
    public struct Point: Sendable, Equatable {
        public var id: String
        public var label: String
        /// The rating itself. Nil for an option.
        public var value: Int?
        public var count: Int
        public var share: Double?
        public var low: Double?
        public var high: Double?
    }

    public var key: String
    public var kind: Question.KindName
    public var title: String
    /// The number of answers, from which the statistics are computed. Abstentions are not among them.
    public var answered: Int
    /// The number of submissions without an answer, among those that were asked.
    public var skipped: Int
    /// The number of submissions that abstained from a rating.
    public var abstained = 0
    /// The label of the abstention. Nil if the question never offered one.
    public var abstain: String?
    /// Whether the question is asked only under a condition.
    public var isConditional = false
    /// The number of submissions that were asked. Others answered a version without the question, or gave answers after
    /// which it is not asked.
    public var asked: Int { answered + abstained + skipped }
    /// The labels of the buckets in the form's order. Empty for a text.
    public var labels: [String]
    /// One dataset. Empty for a text.
    public var datasets: [Dataset]
    public var points: [Point]
    /// Nil unless the question is a rating.
    public var summary: RatingSummary?
    /// The labels of the ends of a rating's scale.
    public var minLabel: String?
    public var maxLabel: String?
    /// The grid of which the question is a statement.
    public var grid: Grid?
    /// Whether several options may be chosen. If so, the shares need not add up to 1.
    public var isMultiple = false
    /// Whether participants may read the answers to a text question. False for other kinds.
    public var isReleased = false
    /// The first and the last form version that contain the question. Nil if the result spans several forms.
    public var versions: ClosedRange<Int>?
    /// Whether the form's newest version no longer contains the question.
    public var isRetired = false
    /// Whether the numbers are withheld. If so, the counts of 0 have no meaning.
    public var isWithheld = false

    /// What the numbers say of the people in the room. Nil if their number is unknown.
    public var room: RoomResult?

    /// The interval of a rating's mean, clipped to the scale, for exports and pictures. The summary contains the
    /// complete interval.
    public var meanInterval: Interval? {
        guard let interval = summary?.confidence95, let low = points.first?.value, let high = points.last?.value else {
            return nil
        }
        return interval.clipped(to: low...high)
    }

    /// The result of one question, computed from the counts of its buckets. Counts of other buckets are ignored.
    public static func make(question: Question, counts: [String: Int]) -> QuestionResult {
        let answered = counts[TallyKey.answered] ?? 0
        var result = shell(of: question)
        result.answered = answered
        result.skipped = counts[TallyKey.skipped] ?? 0
        if result.abstain != nil { result.abstained = counts[TallyKey.abstained] ?? 0 }
        result.points = question.buckets.map { bucket in
            let count = counts[bucket.id] ?? 0
            let share = Proportion(count: count, of: answered)
            return Point(
                id: bucket.id, label: bucket.label, value: bucket.value, count: count, share: share?.value,
                low: share?.low, high: share?.high)
        }
        for index in result.datasets.indices { result.datasets[index].data = result.points.map(\.count) }
        if case .rating(let rating) = question.kind {
            result.summary = RatingSummary(
                Distribution(result.points.map { ($0.value ?? 0, $0.count) }), metric: rating.metric)
        }
        return result
    }

    /// A result without any numbers, for a group that is too small to be shown.
    public static func withheld(question: Question) -> QuestionResult {
        var result = shell(of: question)
        result.isWithheld = true
        if case .rating(let rating) = question.kind {
            result.summary = RatingSummary(Distribution([]), metric: rating.metric)
        }
        return result
    }

    /// This result without its numbers, for a filter under which they would reveal too much.
    public var emptied: QuestionResult {
        var result = self
        (result.answered, result.abstained, result.skipped) = (0, 0, 0)
        (result.points, result.isWithheld, result.room) = ([], true, nil)
        for index in result.datasets.indices { result.datasets[index].data = [] }
        if let summary { result.summary = RatingSummary(Distribution([]), metric: summary.metric) }
        return result
    }

    private static func shell(of question: Question) -> QuestionResult {
        var result = QuestionResult(
            key: question.key, kind: question.kind.name, title: question.title, answered: 0, skipped: 0,
            labels: question.buckets.map(\.label),
            datasets: question.kind.name == .text ? [] : [Dataset(id: "answers", label: "Answers", data: [])],
            points: [])
        result.isConditional = question.showIf != nil
        result.grid = question.grid
        switch question.kind {
        case .rating(let rating):
            (result.minLabel, result.maxLabel, result.abstain) = (rating.minLabel, rating.maxLabel, rating.abstain)
        case .choice(let choice): result.isMultiple = choice.multiple
        case .text: break
        }
        return result
    }
}

extension Question {
    /// Whether every answer is in exactly one bucket, as for a rating or a single choice.
    public var isSingleValued: Bool {
        switch kind {
        case .rating: true
        case .choice(let choice): !choice.multiple
        case .text: false
        }
    }

    /// Whether a bucket of a condition is the abstention that the question offers.
    func isAbstention(_ bucket: String) -> Bool {
        if case .rating(let rating) = kind { rating.abstain != nil && bucket == Limits.abstention } else { false }
    }

    /// The labels of a choice's options by their ids, including `other`, or of a rating's abstention. Empty for others.
    public var optionLabels: [String: String] {
        if case .rating(let rating) = kind { return rating.abstain.map { [Limits.abstention: $0] } ?? [:] }
        guard case .choice(let choice) = kind else { return [:] }
        return Dictionary(choice.buckets.map { ($0.id, $0.label) }, uniquingKeysWith: { first, _ in first })
    }

    struct Bucket {
        var id: String
        var label: String
        var value: Int?
    }

    /// The buckets of a question in the form's order. Empty for a text.
    var buckets: [Bucket] {
        switch kind {
        case .text: []
        case .rating(let rating):
            (rating.min...rating.max).map { value in
                Bucket(
                    id: String(value), label: rating.labels?[value - rating.min] ?? String(value), value: value)
            }
        case .choice(let choice): choice.buckets.map { Bucket(id: $0.id, label: $0.label) }
        }
    }
}
