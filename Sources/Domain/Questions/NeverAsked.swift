/// Finds questions that nobody can be asked, because no answers meet their conditions.
public struct NeverAsked {
    /// The number of steps for a form after which conditions count as ones that can hold.
    private static let maxSteps = 10_000

    private let questions: [Question]
    private let positions: [String: Int]
    private var steps = 0

    /// The keys of those questions of a form, whose conditions must be valid.
    public static func keys(in questions: [Question]) -> Set<String> {
        var search = NeverAsked(questions)
        return Set(
            questions.indices.filter { index in
                questions[index].showIf != nil && !search.canHold([.asked(index)], given: [:])
            }.map { questions[$0].key })
    }

    private init(_ questions: [Question]) {
        self.questions = questions
        positions = Dictionary(questions.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private enum Goal {
        case asked(Int)
        case test(ShowIf.Test)
    }

    /// Whether answers exist that meet all goals, by trying each test of a condition of which any may hold.
    ///
    /// - Parameter given: What the answers to some questions must meet so far, by the question's index.
    private mutating func canHold(_ goals: [Goal], given: [Int: [ShowIf.Comparison]]) -> Bool {
        steps += 1
        guard steps <= Self.maxSteps, let goal = goals.last else { return true }
        let rest = Array(goals.dropLast())
        switch goal {
        case .asked(let index):
            guard let condition = questions[index].showIf else { return canHold(rest, given: given) }
            let tests = condition.tests.map { Goal.test($0) }
            guard condition.join == .any else { return canHold(rest + tests, given: given) }
            for test in tests where canHold(rest + [test], given: given) { return true }
            return false
        case .test(let test):
            guard let index = positions[test.question] else { return false }
            var given = given
            let isNew = given[index]?.contains { $0 != .answered(false) } != true
            given[index, default: []].append(test.comparison)
            guard questions[index].canMeet(given[index] ?? []) else { return false }
            return canHold(test.comparison == .answered(false) || !isNew ? rest : rest + [.asked(index)], given: given)
        }
    }
}

extension Question {
    /// Whether one answer, or none, can meet all of these comparisons.
    fileprivate func canMeet(_ comparisons: [ShowIf.Comparison]) -> Bool {
        if case .rating(let rating) = kind, rating.abstain != nil,
            comparisons.allSatisfy({ $0.holds(.abstention) })
        {
            return true
        }
        if comparisons.contains(.answered(false)) {
            let isAlwaysAnswered = required && showIf == nil
            return !isAlwaysAnswered && comparisons.allSatisfy { $0 == .answered(false) }
        }
        func meets(_ answer: Answer) -> Bool { comparisons.allSatisfy { $0.holds(answer) } }
        switch kind {
        case .text: return meets(.text("x"))
        case .rating(let rating): return (rating.min...rating.max).contains { meets(.rating($0)) }
        case .choice(let choice):
            func answer(_ ids: [String]) -> Answer {
                .choice(ids.filter { $0 != TallyKey.other }, other: ids.contains(TallyKey.other) ? "x" : nil)
            }
            let ids = choice.buckets.map(\.id)
            guard choice.multiple else { return ids.contains { meets(answer([$0])) } }
            // The options that must be among the selected ones. If there are none, any other that may be.
            let wanted = ids.filter { id in comparisons.contains(.equals(.option(id))) }
            guard wanted.count <= choice.maxSelections ?? ids.count else { return false }
            return wanted.isEmpty ? ids.contains { meets(answer([$0])) } : meets(answer(wanted))
        }
    }
}
