/// A question in one round of a series, with its released counts.
public struct RoundTally: Sendable, Equatable {
    /// The question in its newest wording, with the options of all versions.
    public var question: Question
    /// The counts by bucket. If the form has a minimum group, these are the released counts.
    public var counts: [String: Int]
    /// False if there are submissions but none may be shown.
    public var isShown: Bool

    public init(question: Question, counts: [String: Int], isShown: Bool = true) {
        self.question = question
        self.counts = counts
        self.isShown = isShown
    }

    public var answered: Int { counts[TallyKey.answered] ?? 0 }
    public var skipped: Int { counts[TallyKey.skipped] ?? 0 }
    public var abstained: Int { counts[TallyKey.abstained] ?? 0 }
    /// The number of submissions that were asked.
    public var asked: Int { answered + abstained + skipped }

    /// The distribution of a rating.
    var distribution: Distribution {
        Distribution(question.buckets.map { ($0.value ?? 0, counts[$0.id] ?? 0) })
    }
}

extension Question {
    /// Whether answers to both questions can be counted together. They must be of the same kind. Ratings must have the
    /// same scale, and choices must both be single or both be multiple.
    public func isComparable(with other: Question) -> Bool {
        switch (kind, other.kind) {
        case (.text, .text): true
        case (.rating(let own), .rating(let theirs)): own.min == theirs.min && own.max == theirs.max
        case (.choice(let own), .choice(let theirs)): own.multiple == theirs.multiple
        default: false
        }
    }
}
