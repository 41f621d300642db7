/// A question's answers in several rounds, counted together.
public struct PooledQuestion: Sendable, Equatable {
    public var result: QuestionResult
    /// The number of rounds whose answers are counted together.
    public var rounds: Int
    /// The rounds whose question with this key is not comparable (`Question.isComparable(with:)`).
    public var leftOut: [Int]
}

/// One question of a series, and the rounds whose answers to it can be counted together.
///
/// The newest round determines the wording of the question and the order of questions and options. Questions and
/// options that exist only in older rounds come last.
public struct QuestionPool: Sendable {
    /// One wording of a question, and the rounds with this wording.
    public struct Wording: Sendable {
        public var question: Question
        public var rounds: [Int]
        /// Whether all of these rounds have released their texts.
        public var isReleased: Bool

        public init(question: Question, rounds: [Int], isReleased: Bool = false) {
            self.question = question
            self.rounds = rounds
            self.isReleased = isReleased
        }
    }

    /// The question in its newest wording, with the options of all rounds.
    public private(set) var question: Question
    public private(set) var rounds: [Int] = []
    public private(set) var leftOut: [Int] = []
    private var isReleased = true

    /// The pools of all questions, in the order of the wordings.
    ///
    /// - Parameter wordings: All wordings, those of newer rounds first.
    public static func all(of wordings: [Wording]) -> [QuestionPool] {
        var order: [String] = []
        var pools: [String: QuestionPool] = [:]
        for wording in wordings {
            let key = wording.question.key
            if pools[key] == nil { order.append(key) }
            pools[key, default: QuestionPool(question: wording.question)].add(wording)
        }
        return order.compactMap { pools[$0] }
    }

    private init(question: Question) { self.question = question }

    private mutating func add(_ wording: Wording) {
        guard question.isComparable(with: wording.question) else {
            leftOut = (leftOut + wording.rounds).sorted()
            return
        }
        question = question.merged(with: wording.question)
        rounds += wording.rounds
        isReleased = isReleased && wording.isReleased
    }

    /// Returns the question with all statistics computed from the sums.
    ///
    /// - Parameters:
    ///   - counts: The sums of the released counts of all `rounds`, so that the pool never reveals more than the
    ///     individual rounds.
    ///   - hidden: The rounds that have submissions but show none.
    public func counted(_ counts: [String: Int], hidden: Set<Int> = []) -> PooledQuestion {
        let isWithheld = counts.values.allSatisfy { $0 == 0 } && rounds.contains(where: hidden.contains)
        var result =
            isWithheld
            ? QuestionResult.withheld(question: question) : QuestionResult.make(question: question, counts: counts)
        result.isReleased = isReleased
        return PooledQuestion(result: result, rounds: rounds.count, leftOut: leftOut)
    }
}

extension Question {
    /// The number of buckets in the question's result.
    public var bucketCount: Int { buckets.count }
}
