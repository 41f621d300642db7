import Domain
import Testing

@Suite struct PooledCounts {
    private static func choice(_ labels: [String: String], title: String = "T", other: Bool = false) -> Question {
        let options = labels.sorted { $0.key < $1.key }.map { Question.Option(id: $0.key, label: $0.value) }
        return Question(key: "c", title: title, kind: .choice(.init(options: options, other: other)))
    }

    /// Pools rounds as the database does: wording by wording, with the released count of each bucket in the included
    /// rounds.
    private static func pool(_ rounds: [(round: Int, tallies: [RoundTally])]) -> [PooledQuestion] {
        let wordings = rounds.reversed().flatMap { round in
            round.tallies.map { QuestionPool.Wording(question: $0.question, rounds: [round.round]) }
        }
        return QuestionPool.all(of: wordings).map { pool in
            var counts: [String: Int] = [:]
            var hidden: Set<Int> = []
            for (round, tallies) in rounds where pool.rounds.contains(round) {
                for tally in tallies where tally.question.key == pool.question.key {
                    counts.merge(tally.counts, uniquingKeysWith: +)
                    if !tally.isShown { hidden.insert(round) }
                }
            }
            return pool.counted(counts, hidden: hidden)
        }
    }

    @Test func newestRoundNamesTheOptionsAndOldOptionsRemain() throws {
        let pooled = Self.pool([
            (
                1,
                [
                    RoundTally(
                        question: Self.choice(["a": "Old", "x": "Gone"]), counts: ["#answered": 3, "a": 1, "x": 2])
                ]
            ),
            (
                4,
                [
                    RoundTally(
                        question: Self.choice(["a": "New"], other: true), counts: ["#answered": 2, "a": 1, "other": 1])
                ]
            ),
        ])
        let question = try #require(pooled.first)
        #expect(question.result.labels == ["New", "Gone", "Other"])
        #expect(question.result.points.map(\.count) == [2, 2, 1] && question.result.answered == 5)
        #expect(question.result.points[0].share == 0.4 && question.rounds == 2)
    }

    @Test func roundWithAnotherScaleIsOmittedAndReported() throws {
        func rating(_ max: Int, _ counts: [String: Int]) -> RoundTally {
            RoundTally(question: Question(key: "r", title: "R", kind: .rating(.init(max: max))), counts: counts)
        }
        let pooled = Self.pool([
            (1, [rating(10, ["#answered": 1, "9": 1])]), (2, [rating(5, ["#answered": 1, "5": 1])]),
            (3, [rating(10, ["#answered": 1, "1": 1])]), (4, [rating(5, ["#answered": 2, "4": 2])]),
        ])
        let question = try #require(pooled.first)
        #expect(question.leftOut == [1, 3] && question.rounds == 2)
        #expect(question.result.answered == 3 && question.result.summary?.mean == 13.0 / 3)
    }

    @Test func withheldRoundsAreNotCounted() throws {
        let question = Self.choice(["a": "A"])
        let hidden = RoundTally(question: question, counts: ["#answered": 0], isShown: false)
        let shown = RoundTally(question: question, counts: ["#answered": 3, "a": 3])
        let alone = try #require(Self.pool([(1, [hidden])]).first)
        #expect(alone.result.points.isEmpty && alone.result.datasets.first?.data == [])
        let both = try #require(Self.pool([(1, [hidden]), (2, [shown])]).first)
        #expect(both.result.points.map(\.count) == [3] && both.rounds == 2)
    }

    @Test func textIsReleasedIfEveryRoundReleasedIt() {
        let text = Question(key: "t", title: "T", kind: .text(maxLength: 100))
        for (second, isReleased) in [(true, true), (false, false)] {
            let pools = QuestionPool.all(of: [
                .init(question: text, rounds: [2, 3], isReleased: second),
                .init(question: text, rounds: [1], isReleased: true),
            ])
            #expect(pools.map { $0.counted([:]).result.isReleased } == [isReleased])
        }
    }

    /// For any rounds, a pooled bucket is the sum of the rounds' buckets.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func pooledCountsAreTheSumsOfTheRounds(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var rounds: [(round: Int, tallies: [RoundTally])] = []
        let questions = random.definition().questions
        for round in 1...random.int(1...6) {
            var tallies: [RoundTally] = []
            for question in questions where random.int(0...4) > 0 {
                let form = PreparedForm(questions: [question])
                var counts: [String: Int] = [:]
                for _ in 0..<random.int(0...5) {
                    let sent = random.submission(to: FormDefinition(questions: [question]))
                    for key in form.tally(try form.answers(from: sent)) { counts[key.bucket, default: 0] += 1 }
                }
                tallies.append(RoundTally(question: question, counts: counts))
            }
            rounds.append((round, tallies))
        }
        let pooled = Self.pool(rounds)
        #expect(Set(pooled.map(\.result.key)) == Set(rounds.flatMap { $0.tallies.map(\.question.key) }), "seed \(seed)")
        for question in pooled {
            let tallies = rounds.flatMap(\.tallies).filter { $0.question.key == question.result.key }
            #expect(question.rounds == tallies.count && question.leftOut == [], "seed \(seed)")
            #expect(question.result.answered == tallies.reduce(0) { $0 + $1.answered }, "seed \(seed)")
            #expect(question.result.skipped == tallies.reduce(0) { $0 + $1.skipped }, "seed \(seed)")
            for point in question.result.points {
                #expect(point.count == tallies.reduce(0) { $0 + ($1.counts[point.id] ?? 0) }, "seed \(seed)")
            }
        }
    }
}
