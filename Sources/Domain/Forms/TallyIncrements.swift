/// The counts that one submission increments, mostly as indices into the version's `tallyKeys`.
///
/// A batch adds up the counts of submissions to the same version. With indices, it compares numbers instead of texts.
public struct TallyIncrements: Sendable {
    public let version: PreparedForm
    public fileprivate(set) var indices: [Int32] = []
    /// The counts of buckets that the version does not have, such as options that an import has added.
    public fileprivate(set) var others: [TallyKey] = []

    init(_ version: PreparedForm) {
        self.version = version
        indices.reserveCapacity(version.questions.count * 2)
    }

    /// All counts, sorted.
    public var keys: [TallyKey] {
        (indices.map { version.tallyKeys[Int($0)] } + others).sorted()
    }
}

/// The counts that submissions to one version can increment.
struct TallyLayout: Sendable {
    /// The positions of one question's counts.
    private struct Positions {
        var answered: Int32 = 0
        var skipped: Int32 = 0
        /// Nil if the question offers no abstention.
        var abstained: Int32?
        var options: [String: Int32] = [:]
        /// By rating, from the lowest.
        var ratings: [Int32] = []
        var minRating = 0
    }

    /// Sorted.
    let keys: [TallyKey]
    /// By the question's index.
    private let positions: [Positions]

    init(_ questions: [Question]) {
        var keys: [TallyKey] = []
        for question in questions {
            var buckets = [TallyKey.answered, TallyKey.skipped] + question.kind.buckets
            if question.kind.offersAbstention { buckets.append(TallyKey.abstained) }
            keys += buckets.map { TallyKey(question: question.key, bucket: $0) }
        }
        keys.sort()
        let indices = Dictionary(zip(keys, Int32(0)...), uniquingKeysWith: { first, _ in first })
        positions = questions.map { question in
            func position(_ bucket: String) -> Int32 {
                indices[TallyKey(question: question.key, bucket: bucket)] ?? 0
            }
            var questionPositions = Positions(
                answered: position(TallyKey.answered), skipped: position(TallyKey.skipped))
            if case .rating(let rating) = question.kind {
                questionPositions.minRating = rating.min
                questionPositions.ratings = question.kind.buckets.map(position)
                if rating.abstain != nil { questionPositions.abstained = position(TallyKey.abstained) }
            } else {
                for bucket in question.kind.buckets { questionPositions.options[bucket] = position(bucket) }
            }
            return questionPositions
        }
        self.keys = keys
    }

    /// Adds the counts that an answer to the question at this index increments. A nil answer means that the question
    /// was skipped.
    func add(_ answer: Answer?, to index: Int, _ increments: inout TallyIncrements) {
        let question = positions[index]
        guard let answer else { return increments.indices.append(question.skipped) }
        if answer == .abstention {
            return add(question.abstained, or: { TallyKey.abstained }, index, &increments)
        }
        increments.indices.append(question.answered)
        switch answer {
        case .text, .abstention: break
        case .rating(let rating):
            let offset = rating &- question.minRating
            let isKnown = question.ratings.indices.contains(offset)
            add(isKnown ? question.ratings[offset] : nil, or: { String(rating) }, index, &increments)
        case .choice(let ids, let other):
            for id in ids { add(question.options[id], or: { id }, index, &increments) }
            if other != nil { add(question.options[TallyKey.other], or: { TallyKey.other }, index, &increments) }
        }
    }

    private func add(
        _ position: Int32?, or bucket: () -> String, _ index: Int, _ increments: inout TallyIncrements
    ) {
        if let position { return increments.indices.append(position) }
        let question = increments.version.questions[index].key
        increments.others.append(TallyKey(question: question, bucket: bucket()))
    }
}

extension Question.Kind {
    fileprivate var offersAbstention: Bool {
        if case .rating(let rating) = self { rating.abstain != nil } else { false }
    }

    /// All buckets in which answers are counted. Empty for texts.
    fileprivate var buckets: [String] {
        switch self {
        case .text: []
        case .rating(let rating): (rating.min...rating.max).map(String.init)
        case .choice(let choice): choice.options.map(\.id) + (choice.other ? [TallyKey.other] : [])
        }
    }
}
