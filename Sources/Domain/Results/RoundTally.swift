/// A question as one round of a series asked it, with the counts that may be shown of it.
public struct RoundTally: Sendable, Equatable {
    /// In its newest wording, with the options of all its versions.
    public var question: Question
    /// By bucket; of a minimum group the state that is shown.
    public var counts: [String: Int]
    /// False where there are submissions and nothing may be shown of them.
    public var isShown: Bool

    public init(question: Question, counts: [String: Int], isShown: Bool = true) {
        self.question = question
        self.counts = counts
        self.isShown = isShown
    }

    public var answered: Int { counts[TallyKey.answered] ?? 0 }
    public var skipped: Int { counts[TallyKey.skipped] ?? 0 }

    /// Of a rating.
    var distribution: Distribution {
        Distribution(question.buckets.map { ($0.value ?? 0, counts[$0.id] ?? 0) })
    }
}

extension Question {
    /// Whether answers to both can be counted together: the same kind, of ratings the same scale, of choices both for
    /// one option or both for several.
    public func isComparable(with other: Question) -> Bool {
        switch (kind, other.kind) {
        case (.text, .text): true
        case (.rating(let own), .rating(let theirs)): own.min == theirs.min && own.max == theirs.max
        case (.choice(let own), .choice(let theirs)): own.multiple == theirs.multiple
        default: false
        }
    }
}
