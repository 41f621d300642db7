import Domain
import Foundation
import Postgres

/// What the questions by which an anonymous form may be filtered depend on, read in one snapshot. Choosing them needs no
/// connection.
struct FilterEvidence: Sendable {
    /// The smallest minimum group that an anonymous form can have had.
    private static let lowestMinimumGroup = FormDefinition(anonymous: true).minimumGroup

    /// The revision of the form's results.
    var revision: Int
    var minimum: Int
    /// The keys of the questions that can be chosen, in the order in which they are examined.
    var candidates: [String]
    /// The submissions by their answers to the candidates. Nil if it is not known which of them each state contains.
    var cells: [FilterableQuestions.Cell]?
    /// The states that were read while the form was open.
    var seen = ReleasedCounts()
    /// The stored keys of the questions that no filter of a final form shows.
    var disclosing: Set<String> = []

    static func read(
        _ results: FormResults, _ questions: [Question], minimum: Int, _ sample: SubmissionSample, cache: FormCache,
        on connection: Connection
    ) async throws -> FilterEvidence {
        let stored = try await storedState(of: sample.formID, on: connection)
        // Questions that the tallies exclude need not be read from the submissions.
        let safe = results.questions.filter { result in
            result.revealsNobody(among: results.visible, minimum: lowestMinimumGroup)
        }
        let keys = try await singleAnswerKeys(among: questions, of: sample.formID, cache: cache, on: connection)
        let candidates = keys.filter { key in
            safe.contains { $0.key == key } && stored.filterable?.contains(key) != false
        }
        var cells: [FilterableQuestions.Cell]?
        if stored.seen.isEmpty {
            cells = try await sample.groups(of: candidates, on: connection).map {
                FilterableQuestions.Cell(values: $0.values, count: $0.count)
            }
        } else if sample.size.isComplete {
            // If counts were read while the form was open, the choice depends on the step in which each submission was
            // released.
            cells = try await sample.cells(of: candidates, on: connection)
        }
        return FilterEvidence(
            revision: results.revision, minimum: minimum, candidates: candidates, cells: cells, seen: stored.seen,
            disclosing: Set(stored.disclosing))
    }

    /// Returns the keys of the questions that are safe, of those that can be examined within the budget.
    func safeKeys(within budget: SearchBudget) -> [String] {
        guard let cells else { return [] }
        let chosen = FilterableQuestions.choose(
            cells, of: candidates.count, minimum: minimum, lowest: Self.lowestMinimumGroup, seen: seen, budget: budget)
        return chosen.map { candidates[$0] }
    }

    /// Returns the released counts that were read while the form was open, and the stored choice of a final form.
    private static func storedState(
        of formID: UUID, on connection: Connection
    ) async throws -> (seen: ReleasedCounts, filterable: [String]?, disclosing: [String]) {
        let rows = try await connection.query(
            """
            SELECT fs.filterable, fs.disclosing, k.question_set, k.submissions
            FROM form_state fs LEFT JOIN seen_state k ON k.form_id = fs.form_id WHERE fs.form_id = \(formID)
            """)
        var states: [Int: [Int]] = [:]
        var (filterable, disclosing): ([String]?, [String]?)
        for row in rows {
            var (questionSet, state): (Int?, Int?)
            (filterable, disclosing, questionSet, state) = try row.decode(
                [String]?.self, [String]?.self, Int?.self, Int?.self)
            if let questionSet, let state { states[questionSet, default: []].append(state) }
        }
        return (ReleasedCounts(states), filterable, disclosing ?? [])
    }

    /// Returns the keys of the single-answer questions in the order in which they were first published. Of two
    /// questions that cannot both be filters, the earlier one is chosen, and this order is the only one that no later
    /// version changes.
    private static func singleAnswerKeys(
        among questions: [Question], of formID: UUID, cache: FormCache, on connection: Connection
    ) async throws -> [String] {
        let rows = try await connection.query(
            "SELECT key, first_version FROM question WHERE form_id = \(formID)")
        var positions: [(version: Int, position: Int, key: String)] = []
        for row in rows {
            let (key, version) = try row.decode(String.self, Int.self)
            guard questions.contains(where: { $0.key == key && $0.isSingleValued }),
                let form = try await cache.version(version, of: formID, on: connection)
            else { continue }
            positions.append((version, form.questions.firstIndex { $0.key == key } ?? 0, key))
        }
        return positions.sorted { $0 < $1 }.map(\.key)
    }
}
