import StrictJSON

/// A question's answers of several rounds counted together.
public struct PooledQuestion: Sendable, Equatable {
    public var result: QuestionResult
    /// Rounds that asked it so that their answers can be counted together.
    public var rounds: Int
    /// Rounds whose question of this key is of another kind or scale.
    public var leftOut: [Int]

    /// Counts are added bucket by bucket, and every statistic is that of the sums.
    ///
    /// The newest round says what a question is and how it reads; questions and options stand in its order, and those
    /// that only older rounds have behind them. Only what is shown of a round is counted, so that the whole never tells
    /// more than the rounds do one by one.
    ///
    /// - Parameter rounds: ascending.
    public static func pool(_ rounds: [(round: Int, tallies: [RoundTally])]) -> [PooledQuestion] {
        var order: [String] = []
        var pools: [String: Pool] = [:]
        for (round, tallies) in rounds.reversed() {
            for tally in tallies {
                let key = tally.question.key
                if pools[key] == nil { order.append(key) }
                pools[key, default: Pool(question: tally.question)].add(tally, of: round)
            }
        }
        return order.compactMap { pools[$0]?.pooled }
    }

    /// The contract's shape: a question's result with `rounds` and `leftOut`.
    public var json: JSONValue {
        .object(
            (result.json.members ?? []) + [
                .init("rounds", JSONValue(rounds)), .init("leftOut", .array(leftOut.map { JSONValue($0) })),
            ])
    }
}

/// One question while its rounds are added, the newest first.
private struct Pool {
    var question: Question
    var counts: [String: Int] = [:]
    var rounds = 0
    var leftOut: [Int] = []
    var isWithheld = false
    var isReleased = true

    init(question: Question) { self.question = question }

    mutating func add(_ tally: RoundTally, of round: Int) {
        guard question.isComparable(with: tally.question) else {
            leftOut.append(round)
            return
        }
        question = question.merged(with: tally.question)
        rounds += 1
        isReleased = isReleased && tally.isReleased
        guard tally.isShown else {
            isWithheld = true
            return
        }
        counts.merge(tally.counts, uniquingKeysWith: +)
    }

    var pooled: PooledQuestion {
        let isEmpty = counts.values.allSatisfy { $0 == 0 }
        var result =
            isWithheld && isEmpty
            ? QuestionResult.withheld(question: question) : QuestionResult.make(question: question, counts: counts)
        result.isReleased = isReleased
        return PooledQuestion(result: result, rounds: rounds, leftOut: leftOut.reversed())
    }
}
