/// One question's result, ready for charts: `labels` and `datasets` for Chart.js, `points` for other libraries.
public struct QuestionResult: Sendable, Equatable {
    public struct Dataset: Sendable, Equatable {
        public var id: String
        public var label: String
        public var data: [Int]

        public init(id: String, label: String, data: [Int]) {
            self.id = id
            self.label = label
            self.data = data
        }
    }

    /// One bucket; its share is relative to the answers, with Wilson's 95 % bounds. All three are nil without answers.
    public struct Point: Sendable, Equatable {
        public var id: String
        public var label: String
        /// The rating itself; nil for an option.
        public var value: Int?
        public var count: Int
        public var share: Double?
        public var low: Double?
        public var high: Double?
    }

    public var key: String
    public var kind: Question.KindName
    public var title: String
    public var answered: Int
    public var skipped: Int
    /// The buckets' labels in the form's order; empty for a text.
    public var labels: [String]
    /// One dataset; none for a text.
    public var datasets: [Dataset]
    public var points: [Point]
    /// Ratings only.
    public var summary: RatingSummary?
    /// The labels of the ends of a rating's scale.
    public var minLabel: String?
    public var maxLabel: String?
    /// Whether several options may be chosen; then the shares do not add up to one.
    public var isMultiple = false
    /// Whether participants may read the texts; false for other kinds.
    public var isReleased = false
    /// The first and the last version of the form that contain it; nil if the result is not of one form.
    public var versions: ClosedRange<Int>?
    /// Whether the form's newest version no longer contains the question.
    public var isRetired = false
    /// Whether its numbers are withheld; then the counts of 0 have no meaning.
    public var isWithheld = false

    /// The interval of a rating's mean for files and pictures, cut to the scale; the summary has Student's complete
    /// interval.
    public var meanInterval: Interval? {
        guard let interval = summary?.confidence95, let low = points.first?.value, let high = points.last?.value else {
            return nil
        }
        return interval.clipped(to: low...high)
    }

    /// The result of one question from its buckets' counts; other buckets are ignored.
    public static func make(question: Question, counts: [String: Int]) -> QuestionResult {
        let answered = counts[TallyKey.answered] ?? 0
        var result = shell(of: question)
        result.answered = answered
        result.skipped = counts[TallyKey.skipped] ?? 0
        result.points = question.buckets.map { bucket in
            let count = counts[bucket.id] ?? 0
            let share = Share(count: count, of: answered)
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

    /// The question without any numbers, while its group is too small to be shown.
    public static func withheld(question: Question) -> QuestionResult {
        var result = shell(of: question)
        result.isWithheld = true
        if case .rating(let rating) = question.kind {
            result.summary = RatingSummary(Distribution([]), metric: rating.metric)
        }
        return result
    }

    /// The same question without its numbers, while they would reveal too much.
    public var emptied: QuestionResult {
        var result = self
        (result.answered, result.skipped, result.points, result.isWithheld) = (0, 0, [], true)
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
        switch question.kind {
        case .rating(let rating): (result.minLabel, result.maxLabel) = (rating.minLabel, rating.maxLabel)
        case .choice(let choice): result.isMultiple = choice.multiple
        case .text: break
        }
        return result
    }
}

extension Question {
    /// A rating or a single choice: nobody is in two of its buckets.
    public var isSingleValued: Bool {
        switch kind {
        case .rating: true
        case .choice(let choice): !choice.multiple
        case .text: false
        }
    }

    /// The labels of a choice's options by their ids, including `other`; empty for other kinds.
    public var optionLabels: [String: String] {
        guard case .choice(let choice) = kind else { return [:] }
        return Dictionary(choice.buckets.map { ($0.id, $0.label) }, uniquingKeysWith: { first, _ in first })
    }

    struct Bucket {
        var id: String
        var label: String
        var value: Int?
    }

    /// The buckets of a question in the form's order; a text has none.
    var buckets: [Bucket] {
        switch kind {
        case .text: []
        case .rating(let rating): (rating.min...rating.max).map { Bucket(id: String($0), label: String($0), value: $0) }
        case .choice(let choice): choice.buckets.map { Bucket(id: $0.id, label: $0.label) }
        }
    }
}
