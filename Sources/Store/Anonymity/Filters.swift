import Domain
import Foundation
import Postgres
import StrictJSON

/// Filtered results and cross-tabs, each counted from the submissions in one snapshot.
///
/// If there are too many submissions to read in time, a random sample is counted, and the response reports its size.
/// For an anonymous form, all readers get the same sample, and `SafeFilters` decides which filters are allowed.
public struct Filters: Sendable {
    let source: ReadSource
    let cache: FormCache
    let histories: FormHistories
    let permits: FilterPermits
    let safeFilters: SafeFilters
    /// The maximum number of cells of a cross-tab. A question that was often edited has many options.
    static let maxCells = 100_000
    /// The maximum number of answers to process for one result.
    var budget = SampleSize.budget
    /// The statement timeouts in milliseconds of the first attempt, and of a second one with a smaller sample.
    var timeouts = (first: 1_000, second: 2_000)

    /// The form as read in the snapshot in which the submissions are counted.
    struct Baseline: Sendable {
        var meeting: Meeting
        var results: FormResults
        /// The questions of the newest version in its order, followed by the retired questions.
        var questions: [Question]
        var minimum: Int
        var wasReopened: Bool
        /// Whether a close has released the counts.
        var isSettled: Bool
        var sample: SubmissionSample
        var isSampleReduced = false
    }

    /// Returns the results of the submissions that match all conditions, such as `pace:4`.
    ///
    /// Throws 422 at `?where` for a condition that does not fit the form's questions. For an anonymous form, throws 409
    /// while it is open or not settled, and 422 `group-too-small` if the question could single out a person. Throws 410
    /// after the answers were deleted.
    public func results(of meeting: Meeting, where texts: [String]) async throws -> FilteredResults {
        var filtered = try await withBaseline(of: meeting) { baseline, connection in
            let isAnonymous = baseline.meeting.form.anonymous
            let conditions = try Condition.read(
                texts, among: baseline.questions, atMost: isAnonymous ? 1 : Condition.maximumCount)
            let disclosing =
                isAnonymous ? try safeFilters.require(conditions.map { ($0.key, "?where") }, of: baseline) : []
            return try await count(conditions, baseline, withholding: disclosing, on: connection)
        }
        filtered.results.changes = try await histories.changes(of: meeting.form.id, upTo: filtered.results.version)
        return filtered
    }

    /// Returns a cross-tab of two questions. Throws the same problems as `results`, at `?rows` and `?columns`.
    public func crossTab(of meeting: Meeting, rows: String?, columns: String?) async throws -> FormCrossTab {
        try await withBaseline(of: meeting) { baseline, connection in
            let (rows, columns) = try CrossTab.questions(rows: rows, columns: columns, among: baseline.questions)
            guard rows.bucketCount * columns.bucketCount <= Self.maxCells else {
                throw Problem(
                    invalid: "?columns", code: "too-many-cells",
                    "A cross-tab has at most \(Self.maxCells) cells; these questions have more options than that.")
            }
            if baseline.meeting.form.anonymous {
                _ = try safeFilters.require([(rows.key, "?rows"), (columns.key, "?columns")], of: baseline)
            }
            let form = PreparedForm(questions: [rows, columns])
            let groups = try await baseline.sample.groups(of: [rows.key, columns.key], on: connection)
            let pairs = try groups.map { values, count in
                CrossTab.Pair(
                    row: try Self.answer(values[0], to: rows.key, form),
                    column: try Self.answer(values[1], to: columns.key, form), count: count)
            }
            return FormCrossTab(
                results: baseline.results, table: CrossTab(rows: rows, columns: columns, pairs: pairs),
                sampleSize: baseline.sample.size.isComplete ? nil : groups.reduce(0) { $0 + $1.count },
                isSampleReduced: baseline.isSampleReduced)
        }
    }

    /// Calls `body` with the form's baseline. If `body` throws `SafeFilters.Unknown`, searches for the safe filters and
    /// calls `body` again.
    func withBaseline<T: Sendable>(
        of meeting: Meeting, _ body: @Sendable (Baseline, Connection) async throws -> T
    ) async throws -> T {
        for _ in 0..<3 {
            do {
                return try await readBaseline(of: meeting, body)
            } catch is SafeFilters.Unknown {
                try await searchSafeFilters(of: meeting)
            }
        }
        throw Self.changed
    }

    /// Calls `body` with the form's baseline. If the database does not respond in time, for example because of a slow
    /// disk, calls it again with a smaller sample. An anonymous form gets no second attempt, because all its readers
    /// must get the same sample.
    func readBaseline<T: Sendable>(
        of meeting: Meeting, _ body: @Sendable (Baseline, Connection) async throws -> T
    ) async throws -> T {
        let permit = try await permits.acquire()
        defer { withExtendedLifetime(permit) {} }
        do {
            return try await readBaseline(of: meeting, timeout: timeouts.first, body)
        } catch let error as PostgresError
            where error.sqlState == "57014" && !meeting.form.anonymous && !Task.isCancelled
        {
            return try await readBaseline(of: meeting, timeout: timeouts.second) { baseline, connection in
                var reduced = baseline
                reduced.sample.size.halvings += 4
                reduced.isSampleReduced = true
                return try await body(reduced, connection)
            }
        }
    }

    private func readBaseline<T: Sendable>(
        of meeting: Meeting, timeout milliseconds: Int, _ body: @Sendable (Baseline, Connection) async throws -> T
    ) async throws -> T {
        try await source.transaction { connection in
            try await connection.query("SELECT set_config('statement_timeout', \("\(milliseconds)"), true)")
            return try await body(try await baseline(meeting, on: connection), connection)
        }
    }

    private func baseline(_ meeting: Meeting, on connection: Connection) async throws -> Baseline {
        let rows = try await connection.query(
            Meeting.select(", fs.minimum_group, fs.reopened, fs.settled")
                + "\nWHERE m.id = \(meeting.id) AND m.deleted_at IS NULL")
        let row = try rows.requireFirst()
        let current = try Meeting.read(row)
        try current.form.requireAnswers()
        let formID = meeting.form.id
        guard let results = try await Results.read([formID], on: connection)[formID] else { throw Problem(.notFound) }
        return Baseline(
            meeting: current, results: results,
            questions: try await Forms.questions(of: formID, on: connection),
            minimum: try row.decode(Int.self, at: Meeting.columnCount),
            wasReopened: try row.decode(Bool.self, at: Meeting.columnCount + 1),
            isSettled: try row.decode(Bool.self, at: Meeting.columnCount + 2),
            sample: SubmissionSample(of: results, budget: budget, shownOnly: meeting.form.anonymous))
    }

    private func count(
        _ conditions: [Condition], _ baseline: Baseline, withholding disclosing: Set<String>,
        on connection: Connection
    ) async throws -> FilteredResults {
        let matches = SubmissionSample.matches(conditions, among: baseline.questions)
        let texts = baseline.questions.filter { $0.kind.name == .text }.map(\.key)
        let form = PreparedForm(questions: baseline.questions)
        var counts = AnswerCounts()
        let counted = try await baseline.sample.count(where: matches, texts: texts, on: connection)
        for (version, matching) in counted.matching {
            guard let definition = try await cache.version(version, of: baseline.sample.formID, on: connection) else {
                throw Problem(.internalError, "A submission's version is missing.")
            }
            counts.add(
                matching, of: definition,
                asked: try await baseline.sample.asked(
                    definition.questions, inVersion: version, where: matches, on: connection))
        }
        for entry in counted.answers {
            counts.add(
                entry.count, answering: entry.key, try Self.answer(entry.stored, to: entry.key, form))
        }
        var results = baseline.results
        results.submissions = counted.matching.values.reduce(0, +)
        results.questions = baseline.questions.map { question in
            var result = QuestionResult.make(question: question, counts: counts[question.key])
            if let unfiltered = baseline.results.questions.first(where: { $0.key == question.key }) {
                (result.isReleased, result.isRetired) = (unfiltered.isReleased, unfiltered.isRetired)
                result.versions = unfiltered.versions
            }
            return result
        }
        if baseline.meeting.form.anonymous {
            results.withhold(disclosing, andRareIn: baseline.results, minimum: baseline.minimum)
        }
        return FilteredResults(
            results: results, conditions: conditions, total: baseline.results.visible,
            sampleSize: baseline.sample.size.isComplete ? nil : counted.read,
            isSampleReduced: baseline.isSampleReduced)
    }

    static func answer(_ stored: String?, to key: String, _ form: PreparedForm) throws -> Answer? {
        guard let stored else { return nil }
        let json = JSONValue.object([.init(key, try StoredJSON.parse(stored))])
        return Answers.read(stored: json, in: form)[key]
    }
}

extension FormResults {
    /// Withholds these questions, and those whose unfiltered results isolate a small group.
    fileprivate mutating func withhold(_ keys: Set<String>, andRareIn unfiltered: FormResults, minimum: Int) {
        let rare = unfiltered.questions.filter { !$0.revealsNobody(among: unfiltered.visible, minimum: minimum) }
        let withheld = keys.union(rare.map(\.key))
        guard questions.contains(where: { withheld.contains($0.key) }) else { return }
        for index in questions.indices where withheld.contains(questions[index].key) {
            questions[index] = questions[index].emptied
        }
        self.withheld = Withheld(minimum: minimum, shown: submissions)
    }
}

extension Store {
    public var filters: Filters {
        Filters(
            source: readSource, cache: cache, histories: results.histories, permits: filterPermits,
            safeFilters: safeFilters)
    }
}

/// Results of the submissions that match conditions.
public struct FilteredResults: Sendable {
    /// The results, whose `submissions` is the number of matching submissions. For an anonymous form, questions that
    /// could single out a person are withheld.
    public var results: FormResults
    public var conditions: [Condition]
    /// The number of submissions before filtering.
    public var total: Int
    /// The number of submissions in the sample that was counted; nil if all submissions were.
    public var sampleSize: Int?
    /// Whether the sample is smaller than usual because the database was slow. A later request may get a larger one.
    public var isSampleReduced = false
}

/// A cross-tab of two questions of a form.
public struct FormCrossTab: Sendable {
    /// The form's results, for the titles of questions and options.
    public var results: FormResults
    public var table: CrossTab
    /// The number of submissions in the sample that was counted; nil if all submissions were.
    public var sampleSize: Int?
    /// Whether the sample is smaller than usual because the database was slow. A later request may get a larger one.
    public var isSampleReduced = false
}

/// Limits concurrent filters and cross-tabs to a quarter of the connections.
final class FilterPermits: Sendable {
    private let semaphore: Semaphore

    init(poolSize: Int) { semaphore = Semaphore(poolSize / 4) }

    /// Throws 503 if no permit becomes free in time.
    func acquire() async throws -> Permit {
        try await semaphore.acquire(
            within: .seconds(2), else: "Too many filtered results are being counted; try again later.", retryAfter: 2)
    }
}
