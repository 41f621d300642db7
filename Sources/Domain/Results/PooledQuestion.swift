import StrictJSON

/// A question's answers of several rounds counted together.
public struct PooledQuestion: Sendable, Equatable {
    public var result: QuestionResult
    /// Rounds that asked it so that their answers can be counted together.
    public var rounds: Int
    /// Rounds whose question of this key is of another kind or scale.
    public var leftOut: [Int]

    /// The contract's shape: a question's result with `rounds` and `leftOut`.
    public var json: JSONValue {
        .object(
            (result.json.members ?? []) + [
                .init("rounds", JSONValue(rounds)), .init("leftOut", .array(leftOut.map { JSONValue($0) })),
            ])
    }
}

/// One question of a series, and the rounds whose answers to it can be counted together.
///
/// The newest round says what a question is and how it reads; questions and options stand in its order, and those that
/// only older rounds have behind them.
public struct QuestionPool: Sendable {
    /// Rounds that asked a question in the very same words.
    public struct Wording: Sendable {
        public var question: Question
        public var rounds: [Int]
        /// Each of them has released its texts.
        public var isReleased: Bool

        public init(question: Question, rounds: [Int], isReleased: Bool = false) {
            self.question = question
            self.rounds = rounds
            self.isReleased = isReleased
        }
    }

    /// With the options of all the rounds.
    public private(set) var question: Question
    public private(set) var rounds: [Int] = []
    public private(set) var leftOut: [Int] = []
    private var isReleased = true

    /// The pools of all questions, in the order of the wordings.
    ///
    /// - Parameter wordings: those of newer rounds first.
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

    /// Every statistic is that of the sums.
    ///
    /// - Parameters:
    ///   - counts: of each bucket what is shown of all `rounds`, so that the whole never tells more than the rounds do one
    ///     by one.
    ///   - hidden: rounds that have submissions and show none.
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
    /// How many counts a result of it has.
    public var bucketCount: Int { buckets.count }
}
