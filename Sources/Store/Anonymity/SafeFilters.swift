import Domain
import Foundation
import Postgres
import StrictJSON

/// Decides which questions of an anonymous form may be used as filters; `docs/analysis.md` has the rule and its proof.
///
/// The proof is needed because a host may combine filters freely: without the rule, the difference of two filtered
/// results can show one participant's answers although each result covers enough participants.
///
/// The choice of questions, and its cost, are the same for every request: neither the decision nor its duration depends
/// on the requested option or rating.
final class SafeFilters: Sendable {
    /// The questions that filters of one form may use, and those that they must not show.
    struct Choice: Sendable {
        /// The keys of the questions by which the form may be filtered.
        var keys: Set<String> = []
        /// The keys of the questions that no filter shows, because the counts that were read while the form was open
        /// would disclose the answers of a small group.
        var disclosing: Set<String> = []
    }

    private let cache: FormCache
    private let choices = LRUCache<UUID, (revision: Int, choice: Choice)>(capacity: 1_000, maxBytes: .max)

    init(cache: FormCache) { self.cache = cache }

    /// Throws unless the form may be filtered by all these questions. Returns the keys of the questions that the result
    /// must not show.
    ///
    /// - Parameter requested: The keys of questions, each with a pointer to the query parameter that named it.
    func require(
        _ requested: [(key: String, pointer: String)], of baseline: Filters.Baseline, on connection: Connection
    ) async throws -> Set<String> {
        let state = baseline.meeting.form.state(at: baseline.meeting.now)
        guard state == .closed || state == .final, baseline.isSettled, baseline.results.isSettled else {
            throw Problem(
                .resultsWithheld, "An anonymous form can be filtered only after it has closed and nothing is withheld.")
        }
        guard baseline.sample.size.isComplete || state == .final else {
            // Finalising changes the ids of the submissions, and with them the sample.
            throw Problem(
                .resultsWithheld, "An anonymous form with this many answers can be filtered only after it is final.")
        }
        let choice = try await choice(of: baseline, on: connection)
        let refused = requested.filter { !choice.keys.contains($0.key) }
        guard refused.isEmpty else {
            throw Problem(
                .groupTooSmall, "The result could reveal a single person's answer.",
                faults: refused.map { _, pointer in
                    Fault(.invalid, at: pointer, code: "group-too-small", "This question cannot be used as a filter.")
                })
        }
        return choice.disclosing
    }

    private func choice(of baseline: Filters.Baseline, on connection: Connection) async throws -> Choice {
        guard !baseline.wasReopened else { return Choice() }
        let (formID, revision) = (baseline.sample.formID, baseline.results.revision)
        if let cached = choices.find(formID), cached.revision == revision { return cached.choice }
        let choice = try await choose(
            baseline.results, baseline.questions, minimum: baseline.minimum, baseline.sample, on: connection)
        choices.insert((revision, choice), for: formID, bytes: 0)
        return choice
    }

    private func choose(
        _ results: FormResults, _ questions: [Question], minimum: Int, _ sample: SubmissionSample,
        on connection: Connection
    ) async throws -> Choice {
        let stored = try await storedState(of: sample.formID, on: connection)
        // Questions that the tallies exclude need not be read from the submissions.
        let safe = results.questions.filter { result in
            result.revealsNobody(among: results.visible, minimum: Self.lowestMinimumGroup)
        }
        let candidates = try await singleAnswerKeys(among: questions, of: sample.formID, on: connection).filter { key in
            safe.contains { $0.key == key } && stored.filterable?.contains(key) != false
        }
        let cells: [FilterableQuestions.Cell]
        if stored.seen.isEmpty {
            cells = try await sample.groups(of: candidates, on: connection).map {
                FilterableQuestions.Cell(values: $0.values, count: $0.count)
            }
        } else {
            // If counts were read while the form was open, the choice depends on the step in which each submission was
            // released.
            guard sample.size.isComplete, let releasedCells = try await sample.cells(of: candidates, on: connection)
            else {
                return Choice()
            }
            cells = releasedCells
        }
        let chosen = FilterableQuestions.choose(
            cells, of: candidates.count, minimum: minimum, lowest: Self.lowestMinimumGroup, seen: stored.seen)
        let keys = chosen.map { candidates[$0] }
        guard !stored.seen.isEmpty, !keys.isEmpty else {
            return Choice(keys: Set(keys), disclosing: Set(stored.disclosing))
        }
        let otherQuestions = questions.filter { !keys.contains($0.key) }
        return Choice(
            keys: Set(keys),
            disclosing: try await disclosing(
                otherQuestions, filteredBy: keys, minimum: minimum, sample, seen: stored.seen, on: connection))
    }

    /// Returns the keys of the questions whose counts under filters by `keys` would disclose the answers of a small
    /// group.
    private func disclosing(
        _ questions: [Question], filteredBy keys: [String], minimum: Int, _ sample: SubmissionSample,
        seen: ReleasedCounts, on connection: Connection
    ) async throws -> Set<String> {
        let texts = questions.filter { $0.kind.name == .text }.map(\.key)
        guard let arrived = try await sample.arrived(with: keys, texts: texts, on: connection) else {
            return Set(questions.map(\.key))
        }
        let form = PreparedForm(questions: questions)
        var work = FilterDisclosure.workLimit
        var disclosing: Set<String> = []
        for question in questions {
            var groups: [FilterDisclosure.Group] = []
            for group in arrived {
                let answers = group.answers[question.key] ?? []
                for (stored, count) in answers {
                    let answer = try Filters.answer(stored, to: question.key, form)
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
            if FilterDisclosure.isPossible(in: groups, minimum: minimum, seen: seen, work: &work) {
                disclosing.insert(question.key)
            }
        }
        return disclosing
    }

    /// The smallest minimum group that an anonymous form can have had.
    private static let lowestMinimumGroup = FormDefinition(anonymous: true).minimumGroup

    /// Returns the released counts that were read while the form was open, and the stored choice of a final form.
    private func storedState(
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

    /// Stores the choice for a form that becomes final, while the step in which each submission was released is still
    /// known. Call it under the form's lock, in the transaction that deletes this information.
    func storeChoice(of formID: UUID, on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            SELECT fs.minimum_group FROM form_state fs
            WHERE fs.form_id = \(formID) AND fs.anonymous AND NOT fs.reopened AND fs.filterable IS NULL
                AND EXISTS (SELECT FROM seen_state k WHERE k.form_id = \(formID))
            """)
        guard let minimum = try rows.first?.decode(Int.self),
            let results = try await Results.read([formID], on: connection)[formID]
        else { return }
        let sample = SubmissionSample(of: results, budget: SampleSize.budget, shownOnly: true)
        var choice = Choice()
        if results.isSettled {
            let questions = try await Forms.questions(of: formID, on: connection)
            choice = try await choose(results, questions, minimum: minimum, sample, on: connection)
        }
        try await connection.execute(
            """
            UPDATE form_state SET filterable = \(choice.keys.sorted()), disclosing = \(choice.disclosing.sorted())
            WHERE form_id = \(formID)
            """)
    }

    /// Returns the keys of the single-answer questions in the order in which they were first published. Of two
    /// questions that cannot both be filters, the earlier one is chosen, and this order is the only one that no later
    /// version changes.
    private func singleAnswerKeys(
        among questions: [Question], of formID: UUID, on connection: Connection
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
