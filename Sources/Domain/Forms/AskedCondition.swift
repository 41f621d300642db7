/// A condition whose tests know the indices of the questions.
struct AskedCondition: Sendable {
    let isAny: Bool
    let tests: [(index: Int, comparison: ShowIf.Comparison)]
    let indices: [Int]

    /// A test of a question that is not in the list always fails.
    init(_ condition: ShowIf, _ positions: [String: Int]) {
        isAny = condition.join == .any
        tests = condition.tests.map { (positions[$0.question] ?? -1, $0.comparison) }
        indices = tests.map(\.index).filter { $0 >= 0 }
    }

    func holds(_ slots: [Answers.Entry?]) -> Bool {
        func holds(_ test: (index: Int, comparison: ShowIf.Comparison)) -> Bool {
            test.index >= 0 && test.comparison.holds(slots[test.index]?.answer)
        }
        return isAny ? tests.contains(where: holds) : tests.allSatisfy(holds)
    }
}
