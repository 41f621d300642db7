import Domain
import Postgres

/// The submissions of an anonymous form with their answers to the questions that filters may show, read in one snapshot.
struct ArrivedAnswers: Sendable {
    /// Nil if it is not known which submissions each state contains.
    private let groups: [SubmissionSample.Arrived]?
    /// The questions by which the form is not filtered.
    private let questions: [Question]

    /// - Parameter keys: The keys of the questions by which the form may be filtered.
    static func read(
        _ questions: [Question], filteredBy keys: [String], _ sample: SubmissionSample, on connection: Connection
    ) async throws -> ArrivedAnswers {
        let others = questions.filter { !keys.contains($0.key) }
        let texts = others.filter { $0.kind.name == .text }.map(\.key)
        return ArrivedAnswers(
            groups: try await sample.arrived(with: keys, texts: texts, on: connection), questions: others)
    }

    /// Returns the keys of the questions whose counts under filters would disclose the answers of a small group, and of
    /// those that cannot be examined within the budget.
    func disclosing(
        minimum: Int, seen: ReleasedCounts, within budget: SearchBudget
    ) throws -> Set<String> {
        guard let groups else { return Set(questions.map(\.key)) }
        let form = PreparedForm(questions: questions)
        return Set(
            try questions.map(\.key).filter { key in
                // Grouping the answers of a few questions is fast, but a form may have had hundreds.
                guard budget.spend(2 * groups.count) else { return true }
                return FilterDisclosure.isPossible(
                    in: try Self.answers(to: key, of: groups, form), minimum: minimum, seen: seen, budget: budget)
            })
    }

    private static func answers(
        to key: String, of arrived: [SubmissionSample.Arrived], _ form: PreparedForm
    ) throws -> [FilterDisclosure.Group] {
        var groups: [FilterDisclosure.Group] = []
        for group in arrived {
            let answers = group.answers[key] ?? []
            for (stored, count) in answers {
                let answer = try Filters.answer(stored, to: key, form)
                groups.append(
                    FilterDisclosure.Group(
                        arrival: group.arrival, cell: group.cell, answer: (answer?.buckets ?? []).sorted(),
                        count: count))
            }
            groups.append(
                FilterDisclosure.Group(
                    arrival: group.arrival, cell: group.cell, answer: nil,
                    count: group.count - answers.reduce(0) { $0 + $1.count }))
        }
        return groups
    }
}
