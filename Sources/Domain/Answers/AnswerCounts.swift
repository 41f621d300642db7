import StrictJSON

/// The counts of the answers in a subset of a form's submissions. They correspond to the tallies, which cover all
/// submissions.
public struct AnswerCounts: Sendable {
    private var counts: [String: [String: Int]] = [:]
    /// For each question, the number of submissions that were asked.
    private var asked: [String: Int] = [:]

    public init() {}

    /// Adds submissions of a form version. Its questions count as asked in each of them, except those with a condition.
    ///
    /// - Parameter asked: The number of these submissions that were asked, for each question with a condition.
    public mutating func add(_ submissions: Int, of version: PreparedForm, asked conditional: [String: Int] = [:]) {
        for question in version.questions {
            asked[question.key, default: 0] += question.showIf == nil ? submissions : conditional[question.key] ?? 0
        }
    }

    /// Adds submissions with this answer to a question. A text increments nothing but `#answered`, and an abstention
    /// nothing but `#abstained`.
    public mutating func add(_ submissions: Int, answering key: String, _ answer: Answer?) {
        if answer != .abstention { counts[key, default: [:]][TallyKey.answered, default: 0] += submissions }
        for bucket in answer?.buckets ?? [] { counts[key, default: [:]][bucket, default: 0] += submissions }
    }

    /// The counts of a question by bucket, including `#answered`, `#abstained` and `#skipped`.
    public subscript(key: String) -> [String: Int] {
        var buckets = counts[key] ?? [:]
        let given = (buckets[TallyKey.answered] ?? 0) + (buckets[TallyKey.abstained] ?? 0)
        buckets[TallyKey.skipped] = max(0, (asked[key] ?? 0) - given)
        return buckets
    }
}

extension Answer {
    /// The buckets in which an answer is counted. Empty for a text.
    public var buckets: [String] {
        switch self {
        case .text: []
        case .rating(let rating): [String(rating)]
        case .abstention: [TallyKey.abstained]
        case .choice(let ids, let other): other == nil ? ids : ids + [TallyKey.other]
        }
    }
}

/// The key of one maintained count: a bucket of one question.
///
/// Buckets are option ids, `other`, ratings as digits, and the two that every question has: `#answered` and `#skipped`.
/// A rating that offers an abstention has `#abstained` too. Each submission that was asked is in exactly one of these.
public struct TallyKey: Sendable, Hashable, Comparable {
    public static let answered = "#answered"
    public static let skipped = "#skipped"
    public static let abstained = "#abstained"
    public static let other = Limits.otherOption
    /// Counts without a question: of submissions, and of corrections and withdrawals together.
    public static let submissions = "#submissions"
    public static let changes = "#changes"

    public var question: String
    public var bucket: String

    public init(question: String, bucket: String) {
        self.question = question
        self.bucket = bucket
    }

    public static func < (left: TallyKey, right: TallyKey) -> Bool {
        left.question == right.question ? left.bucket < right.bucket : left.question < right.question
    }
}
