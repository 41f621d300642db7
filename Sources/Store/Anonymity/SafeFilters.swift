import BlockingWork
import Domain
import Foundation
import Postgres
import StrictJSON
import Synchronization

/// Decides which questions of an anonymous form may be used as filters; `docs/analysis.md` has the rule and its proof.
///
/// The proof is needed because a host may combine filters freely: without the rule, the difference of two filtered
/// results can show one participant's answers although each result covers enough participants.
///
/// The choice of questions, and its cost, are the same for every request: neither the decision nor its duration depends
/// on the requested option or rating. It is searched for on a thread that serves no requests, and kept for the state of
/// the form, also if the search has exhausted its budget.
final class SafeFilters: Sendable {
    /// The questions that filters of one form may use, and those that they must not show.
    struct Choice: Sendable {
        /// The keys of the questions by which the form may be filtered.
        var keys: Set<String> = []
        /// The keys of the questions that no filter shows, because the counts that were read while the form was open
        /// would disclose the answers of a small group.
        var disclosing: Set<String> = []
    }

    /// The choice for the form's state is not known yet. `Filters` searches for it after the transaction.
    struct Unknown: Error {}

    /// Whether the task that waits for a search was cancelled.
    private final class Cancellation: Sendable {
        private let flag = Atomic<Bool>(false)

        var isRequested: Bool { flag.load(ordering: .relaxed) }
        func request() { flag.store(true, ordering: .relaxed) }
    }

    private let cache: FormCache
    private let choices = LRUCache<UUID, (revision: Int, choice: Choice)>(capacity: 1_000, maxBytes: .max)
    /// The right to search for a request. One host has it at a time, and the hosts take turns.
    let turns = KeyedPermits<UUID>(1, total: 1)
    /// Used only by the holder of the turn and by `storeChoice`, so that neither is refused.
    private let work = BlockingWork("afterword.filters", maximumRunning: 2, maximumWaiting: 2)
    /// The steps that one search may take.
    private let steps: Int
    private let spentSteps = Atomic<Int>(0)

    init(cache: FormCache, steps: Int = SearchBudget.wholeSearch) {
        self.cache = cache
        self.steps = steps
    }

    /// The number of steps that all completed searches have taken.
    var stepsTaken: Int { spentSteps.load(ordering: .relaxed) }

    /// Throws unless the form may be filtered by all these questions. Returns the keys of the questions that the result
    /// must not show. Throws `Unknown` if the choice has to be searched for first.
    ///
    /// - Parameter requested: The keys of questions, each with a pointer to the query parameter that named it.
    func require(_ requested: [(key: String, pointer: String)], of baseline: Filters.Baseline) throws -> Set<String> {
        try requireSettled(baseline)
        guard let choice = known(baseline) else { throw Unknown() }
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

    private func requireSettled(_ baseline: Filters.Baseline) throws {
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
    }

    private func known(_ baseline: Filters.Baseline) -> Choice? {
        if baseline.wasReopened { return Choice() }
        guard let kept = choices.find(baseline.sample.formID), kept.revision == baseline.results.revision else {
            return nil
        }
        return kept.choice
    }

    /// Waits for the right to search for the choice of a form of this host. Throws 503 if other searches take too long.
    func turn(of host: UUID) async throws -> KeyedPermits<UUID>.Lease {
        try await turns.acquire(
            for: host, within: .seconds(5), else: "Other filters are being checked; try again later.", retryAfter: 2)
    }

    /// Reads what the choice for the form's state depends on; nil if the choice is known by now.
    func evidence(of baseline: Filters.Baseline, on connection: Connection) async throws -> FilterEvidence? {
        try requireSettled(baseline)
        guard known(baseline) == nil else { return nil }
        return try await FilterEvidence.read(
            baseline.results, baseline.questions, minimum: baseline.minimum, baseline.sample, cache: cache,
            on: connection)
    }

    func keep(_ choice: Choice, of formID: UUID, revision: Int) {
        choices.insert((revision, choice), for: formID, bytes: 0)
    }

    /// Searches for the choice. What cannot be examined within the budget is withheld.
    ///
    /// - Parameter read: Reads the answers in the state of the evidence. Called with the keys of the questions by which
    ///   the form may be filtered.
    func search(
        _ evidence: FilterEvidence, answers read: @Sendable ([String]) async throws -> ArrivedAnswers
    ) async throws -> Choice {
        let (keys, remaining) = try await run(steps: steps) { evidence.safeKeys(within: $0) }
        guard !evidence.seen.isEmpty, !keys.isEmpty else {
            return Choice(keys: Set(keys), disclosing: evidence.disclosing)
        }
        let answers = try await read(keys)
        let (disclosing, _) = try await run(steps: remaining) { budget in
            try answers.disclosing(minimum: evidence.minimum, seen: evidence.seen, within: budget)
        }
        return Choice(keys: Set(keys), disclosing: disclosing)
    }

    /// Runs a part of a search on a separate thread, and stops it if the task is cancelled. Returns its result and the
    /// number of steps that are left.
    private func run<T: Sendable>(
        steps: Int, _ part: @escaping @Sendable (SearchBudget) throws -> T
    ) async throws -> (result: T, remaining: Int) {
        let cancellation = Cancellation()
        let outcome: (result: Result<T, any Error>, remaining: Int)
        do {
            outcome = try await withTaskCancellationHandler {
                try await work.run {
                    let budget = SearchBudget(steps: steps) { cancellation.isRequested }
                    let result = Result<T, any Error> { try part(budget) }
                    return (result: result, remaining: budget.remaining)
                }
            } onCancel: {
                cancellation.request()
            }
        } catch {
            throw Problem(.overloaded, "Other filters are being checked; try again later.", retryAfter: 2)
        }
        // A search that was stopped has withheld what it had not examined yet.
        try Task.checkCancellation()
        spentSteps.wrappingAdd(steps - outcome.remaining, ordering: .relaxed)
        return (result: try outcome.result.get(), remaining: outcome.remaining)
    }

    /// Stores the choice for a form that becomes final, while the step in which each submission was released is still
    /// known. Call it under the form's lock, in the transaction that deletes this information. The transaction stays
    /// open during the search, which is limited, and no request needs its connection.
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
            let evidence = try await FilterEvidence.read(
                results, questions, minimum: minimum, sample, cache: cache, on: connection)
            choice = try await search(evidence) { keys in
                try await ArrivedAnswers.read(questions, filteredBy: keys, sample, on: connection)
            }
        }
        try await connection.execute(
            """
            UPDATE form_state SET filterable = \(choice.keys.sorted()), disclosing = \(choice.disclosing.sorted())
            WHERE form_id = \(formID)
            """)
    }
}
