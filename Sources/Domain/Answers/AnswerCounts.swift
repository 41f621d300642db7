import StrictJSON

/// Answers counted for some of a form's submissions, as its tallies count them for all.
public struct AnswerCounts: Sendable {
    private var counts: [String: [String: Int]] = [:]
    private var asked: [String: Int] = [:]

    public init() {}

    /// So many submissions of a version, whose questions they were asked.
    public mutating func add(_ submissions: Int, of version: PreparedForm) {
        for question in version.questions { asked[question.key, default: 0] += submissions }
    }

    /// So many that gave this answer; a text is only counted as answered.
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
    /// The buckets that an answer counts in; none for a text.
    public var buckets: [String] {
        switch self {
        case .text: []
        case .rating(let rating): [String(rating)]
        case .choice(let ids, let other): other == nil ? ids : ids + [TallyKey.other]
        }
    }
}
