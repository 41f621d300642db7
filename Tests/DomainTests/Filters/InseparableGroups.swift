import Domain
import TestSupport
import Testing

@Suite struct InseparableGroups {
    /// Each person's answers, nil if skipped.
    private typealias People = [[String?]]

    /// A few people with mostly equal answers, so that small groups and near misses are common.
    private static func people(_ random: inout SplitMix) -> People {
        let questions = random.int(1...4)
        let options = (0..<questions).map { _ in random.int(1...3) }
        let kinds = (0..<random.int(1...5)).map { _ in
            options.map { count in random.int(0...9) == 0 ? nil : "\(random.int(1...count))" }
        }
        return (0..<random.int(3...14)).map { _ in
            var answers = random.one(of: kinds)
            if random.int(0...3) == 0 {
                let question = random.int(0...questions - 1)
                answers[question] = "\(random.int(1...options[question]))"
            }
            return answers
        }
    }

    private static func cells(_ people: People) -> [FilterableQuestions.Cell] {
        people.map { FilterableQuestions.Cell(values: $0, count: 1) }
    }

    private static func chosen(_ people: People, minimum: Int) -> [Int] {
        FilterableQuestions.choose(cells(people), of: people[0].count, minimum: minimum, lowest: 3)
    }

    /// The questions that a rule per bucket would allow: each answer, and skipping, was chosen by nobody or by at least
    /// `minimum` people.
    private static func allowedPerBucket(_ people: People, minimum: Int) -> [Int] {
        people[0].indices.filter { question in
            Dictionary(grouping: people, by: { $0[question] }).values.allSatisfy { $0.count >= minimum }
        }
    }

    /// The unfiltered results, every filter and every cell of each cross-tab.
    private static func readings(_ people: People, of questions: [Int]) -> [Population] {
        var populations: [Population] = [people.map { _ in 1 }]
        for row in questions {
            for value in Set(people.compactMap { $0[row] }) {
                populations.append(people.map { $0[row] == value ? 1 : 0 })
                for column in questions where column > row {
                    for other in Set(people.compactMap { $0[column] }) {
                        populations.append(people.map { $0[row] == value && $0[column] == other ? 1 : 0 })
                    }
                }
            }
        }
        return populations
    }

    @Test(arguments: 0..<300)
    func noCombinationOfReadingsIsolatesFewerThanTheMinimum(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        let people = Self.people(&random)
        let known = KnownPopulations(all: Self.readings(people, of: Self.chosen(people, minimum: 3)))
        #expect(known.isolated(fewerThan: 3) == nil, "\(people)")
    }

    /// A reader combines the results under all earlier minimums.
    @Test(arguments: 0..<300)
    func raisingTheMinimumAllowsNoNewFilter(_ seed: UInt64) {
        var random = SplitMix(state: seed &+ 5000)
        let people = Self.people(&random)
        var readings: [Population] = []
        var earlier: Set<Int>?
        for minimum in 3...6 {
            let chosen = Self.chosen(people, minimum: minimum)
            #expect(earlier.map { $0.isSuperset(of: chosen) } ?? true)
            earlier = Set(chosen)
            readings += Self.readings(people, of: chosen)
        }
        #expect(KnownPopulations(all: readings).isolated(fewerThan: 3) == nil, "\(people)")
    }

    /// A rule per bucket is too weak: filters that it allows isolate people when combined.
    @Test func largeBucketsAreNotSufficient() {
        var isolating = 0
        for seed in 0..<300 as Range<UInt64> {
            var random = SplitMix(state: seed)
            let people = Self.people(&random)
            let questions = Self.allowedPerBucket(people, minimum: 3)
            // Cross-tabs are left out, because they show small cells directly.
            let filters = [people.map { _ in 1 }] + questions.flatMap { Self.readings(people, of: [$0]).dropFirst() }
            if KnownPopulations(all: filters).isolated(fewerThan: 3) != nil { isolating += 1 }
        }
        #expect(isolating > 10)
    }

    /// Four people of each of three kinds, and one more person. Every cell of every pair of questions has at least four
    /// people, yet D(a) + D(b) + D(c) − 2·D(all) isolates the answers of that person.
    @Test func largePairsAreNotSufficient() {
        let kinds: [[String?]] = [["1", "1", "0"], ["1", "0", "1"], ["0", "1", "1"]]
        let people = kinds.flatMap { kind in Array(repeating: kind, count: 4) } + [["1", "1", "1"]]
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let cells = Dictionary(grouping: people) { [$0[a], $0[b]] }
            #expect(cells.values.allSatisfy { $0.count >= 4 })
        }
        let allQuestions = KnownPopulations(all: Self.readings(people, of: [0, 1, 2]))
        #expect(allQuestions.isolated(fewerThan: 2) == [12])
        #expect(Self.chosen(people, minimum: 3) == [0, 1])
        let allowed = KnownPopulations(all: Self.readings(people, of: [0, 1]))
        #expect(allowed.isolated(fewerThan: 4) == nil)
    }

    /// With minimum 4 alone, the third question would be chosen instead of the second. The second was filterable with
    /// minimum 3, so the third must not be added.
    @Test func raisedMinimumDoesNotReplaceAQuestion() {
        let groups: [(values: [String?], count: Int)] = [
            (["1", "1", "1"], 6), (["1", "2", "1"], 3), (["1", "2", "2"], 4), (["2", "1", "2"], 5),
            (["2", "2", "1"], 3), (["2", "1", "1"], 1),
        ]
        let cells = groups.map { FilterableQuestions.Cell(values: $0.values, count: $0.count) }
        #expect(FilterableQuestions.choose(cells, of: 3, minimum: 3, lowest: 3) == [0, 1])
        #expect(FilterableQuestions.choose(cells, of: 3, minimum: 4, lowest: 4) == [0, 2])
        #expect(FilterableQuestions.choose(cells, of: 3, minimum: 4, lowest: 3) == [0])
    }

    @Test func questionsWithoutAnswersRemainFilterable() {
        #expect(FilterableQuestions.choose([], of: 2, minimum: 3, lowest: 3) == [0, 1])
        #expect(FilterableQuestions.choose([], of: 0, minimum: 3, lowest: 3) == [])
        let two = FilterableQuestions.Cell(values: ["1"], count: 2)
        #expect(FilterableQuestions.choose([two], of: 1, minimum: 3, lowest: 3) == [])
    }

    @Test func rareAnswerMakesAQuestionIdentifying() {
        let question = Question(
            key: "topics", title: "T",
            kind: .choice(.init(options: [.init(id: "a", label: "A"), .init(id: "b", label: "B")], multiple: true)))
        func identifies(_ answered: Int, _ skipped: Int, _ a: Int, _ b: Int, of submissions: Int = 10) -> Bool {
            let counts = [TallyKey.answered: answered, TallyKey.skipped: skipped, "a": a, "b": b]
            let result = QuestionResult.make(question: question, counts: counts)
            return !result.revealsNobody(among: submissions, minimum: 3)
        }
        #expect(!identifies(10, 0, 5, 7))
        #expect(!identifies(10, 0, 10, 0))
        #expect(identifies(10, 0, 1, 7), "one person chose option a")
        #expect(identifies(10, 0, 9, 7), "one person did not choose option a")
        #expect(identifies(8, 2, 4, 4), "two people skipped the question")
        #expect(identifies(7, 1, 3, 3), "one of the people asked skipped the question")
        #expect(!identifies(6, 0, 3, 3, of: 9))
    }
}
