import Domain
import Synchronization
import TestSupport
import Testing

/// The search for safe filters chooses only what it can examine within its budget.
@Suite struct LimitedSearches {
    private static func chosen(groups: Int, questions: Int = 1, _ budget: SearchBudget) -> [Int] {
        FilterableQuestions.choose(
            CyclicForm.cells(groups: groups, questions: questions), of: questions, minimum: CyclicForm.minimum,
            lowest: CyclicForm.minimum, seen: CyclicForm.seenStates(groups: groups), budget: budget)
    }

    /// The question is safe for any number of groups, but for many it takes too long to show this.
    @Test func statesThatMakeTheSearchTooLongPreventFilters() {
        let budget = SearchBudget()
        #expect(Self.chosen(groups: 100, SearchBudget()) == [0])
        #expect(Self.chosen(groups: 700, budget) == [] && budget.isExhausted)
    }

    @Test func budgetIsSharedByAllQuestions() {
        let first = SearchBudget()
        #expect(Self.chosen(groups: 50, first) == [0])
        let budget = SearchBudget(steps: SearchBudget.wholeSearch - first.remaining)
        #expect(Self.chosen(groups: 50, questions: 3, budget) == [0], "the same search takes the same steps")
        #expect(budget.isExhausted, "the other questions are not examined")
    }

    /// So the choice of a limited search is as safe as that of a complete one.
    @Test(arguments: [1, SeededNumbers.freshSeed()])
    func limitedSearchChoosesTheFirstQuestionsOfACompleteOne(_ seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var limited = 0
        for number in 0..<1_000 {
            let events = WatchedForm.events(&random, people: random.int(6...14), sets: 1, questions: 2)
            let (minimum, steps) = (random.int(3...4), random.int(0...300))
            var form = WatchedForm()
            for event in events { form.apply(event) }
            guard let closed = form.closed() else { continue }
            func chosen(_ budget: SearchBudget) -> [Int] {
                FilterableQuestions.choose(
                    closed.cells, of: 2, minimum: minimum, lowest: WatchedForm.minimum, seen: closed.seenStates,
                    budget: budget)
            }
            let (complete, some) = (chosen(SearchBudget()), chosen(SearchBudget(steps: steps)))
            #expect(complete.starts(with: some), "seed \(seed), \(number): \(steps) steps, \(events)")
            if some != complete { limited += 1 }
        }
        #expect(limited > 0, "seed \(seed)")
    }

    @Test func cancelledSearchStops() {
        let checks = Mutex(0)
        let budget = SearchBudget {
            checks.withLock { count in
                count += 1
                return count > 600
            }
        }
        #expect(Self.chosen(groups: 400, budget) == [] && budget.isExhausted)
        #expect(checks.withLock { $0 } == 601)
    }

    /// A person who corrects often connects many periods, each only once.
    @Test func frequentCorrectionsAreWithinTheBudget() {
        let corrections = (0..<10_000).map { ReleasedCounts.Arrival(questionSet: 1 + $0 % 2, step: 3 * ($0 / 5_000)) }
        let cells = [
            FilterableQuestions.Cell(values: ["1"], count: 1, arrivals: corrections),
            FilterableQuestions.Cell(values: ["1"], count: 5, arrivals: [.init(questionSet: 1, step: 0)]),
            FilterableQuestions.Cell(values: ["1"], count: 5, arrivals: [.init(questionSet: 2, step: 0)]),
        ]
        let budget = SearchBudget()
        _ = FilterableQuestions.choose(
            cells, of: 1, minimum: 3, lowest: 3, seen: ReleasedCounts([1: [3], 2: [3]]), budget: budget)
        #expect(!budget.isExhausted)
    }
}
