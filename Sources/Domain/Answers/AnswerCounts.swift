import StrictJSON

/// Counts of the answers in some of a form's submissions, like its tallies for all of them.
public struct AnswerCounts: Sendable {
    private var counts: [String: [String: Int]] = [:]
    private var asked: [String: Int] = [:]

    public init() {}

    /// Adds submissions of a version, with the questions it contained.
    public mutating func add(_ submissions: Int, of version: PreparedForm) {
        for question in version.questions { asked[question.key, default: 0] += submissions }
    }

    /// Adds submissions with this answer; a text counts as answered only.
    public mutating func add(_ submissions: Int, answering key: String, _ answer: Answer?) {
        counts[key, default: [:]][TallyKey.answered, default: 0] += submissions
        for bucket in answer?.buckets ?? [] { counts[key, default: [:]][bucket, default: 0] += submissions }
    }

    /// By bucket, with `#answered` and `#skipped`.
    public subscript(key: String) -> [String: Int] {
        var buckets = counts[key] ?? [:]
        buckets[TallyKey.skipped] = max(0, (asked[key] ?? 0) - (buckets[TallyKey.answered] ?? 0))
        return buckets
    }
}

extension Answer {
    /// The buckets in which an answer counts; none for a text.
    public var buckets: [String] {
        switch self {
        case .text: []
        case .rating(let rating): [String(rating)]
        case .choice(let ids, let other): other == nil ? ids : ids + [TallyKey.other]
        }
    }
}

/// The key of one maintained count: a bucket of one question.
///
/// Buckets are option ids, `other`, ratings as digits, and the two that every question has: `#answered` and `#skipped`.
public struct TallyKey: Sendable, Hashable, Comparable {
    public static let answered = "#answered"
    public static let skipped = "#skipped"
    public static let other = Limits.otherOption
    /// Counts without a question: submissions, corrections and withdrawals.
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
