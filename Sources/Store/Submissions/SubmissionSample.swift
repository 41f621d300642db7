import Domain
import Foundation
import Postgres

/// The submissions of one form that a counting reads, all or the same part for everybody, and how they are counted.
struct SubmissionSample: Sendable {
    let formID: UUID
    var size: SampleSize
    /// Leaves out the question sets that too few have answered.
    var shownOnly = false

    init(of results: FormResults, budget: Int, shownOnly: Bool) {
        formID = results.formID
        // Only what was asked while answers came: a question added to a closed form changes no sample.
        let asked = results.questions.filter { $0.answered + $0.skipped > 0 }.count
        size = SampleSize(submissions: results.submissions, questions: asked, budget: budget)
        self.shownOnly = shownOnly
    }

    /// Of `submission s`.
    private var rows: Statement {
        var condition: Statement = "s.form_id = \(formID) AND NOT s.withdrawn"
        if let bound = size.bound { condition += " AND s.id < \(bound)" }
        if shownOnly { condition += " AND " + ShownState.holds(formID) }
        return condition
    }

    /// What one look at the submissions counts.
    struct Counted: Sendable {
        /// How many were looked at.
        var read = 0
        /// Those that match, by version.
        var matching: [Int: Int] = [:]
        /// Each answer to each question and how many of those that match gave it; nil for a text, which is not read.
        var answers: [(key: String, stored: String?, count: Int)] = []
    }

    /// Reads each submission once: its place in memory costs more than its answers.
    func count(where condition: Statement, texts: [String], on connection: Connection) async throws -> Counted {
        let rows = try await connection.query(
            """
            SELECT s.version, \(fragment: condition), e.key,
                CASE WHEN e.key <> ALL (\(texts)) THEN \(fragment: Self.plain("e.value")) END, count(*),
                count(*) FILTER (WHERE coalesce(e.position, 1) = 1)
            FROM submission s
            LEFT JOIN jsonb_each(CASE WHEN \(fragment: condition) THEN s.answers END)
                WITH ORDINALITY AS e (key, value, position) ON true
            WHERE \(fragment: rows) GROUP BY 1, 2, 3, 4
            """)
        var counted = Counted()
        for row in rows {
            let (version, matches, key, stored, count, submissions) = try row.decode(
                Int.self, Bool?.self, String?.self, String?.self, Int.self, Int.self)
            counted.read += submissions
            guard matches == true else { continue }
            counted.matching[version, default: 0] += submissions
            if let key { counted.answers.append((key, stored, count)) }
        }
        return counted
    }

    /// How many gave which answers to these questions together; nil for no answer.
    func groups(
        of keys: [String], on connection: Connection
    ) async throws -> [(values: [String?], count: Int)] {
        guard !keys.isEmpty else { return [] }
        let values = keys.map { Self.plain("s.answers->\($0)") }
        let list = values.dropFirst().reduce(values[0]) { $0 + ", " + $1 }
        // Small numbers that are made here.
        let positions = Statement(unsafeSQL: (2...keys.count + 1).map(String.init).joined(separator: ", "))
        let counted = try await connection.query(
            """
            SELECT count(*), \(fragment: list) FROM submission s WHERE \(fragment: rows) GROUP BY \(fragment: positions)
            """)
        return try counted.map { row in
            (try keys.indices.map { try row.decode(String?.self, at: $0 + 1) }, try row.decode(Int.self, at: 0))
        }
    }

    /// The same of all submissions, withdrawn ones too, with the steps in which each came and changed; nil where some are
    /// not known.
    func courses(of keys: [String], on connection: Connection) async throws -> [FilterableQuestions.Cell]? {
        let values = keys.reduce("" as Statement) { $0 + ", " + Self.plain("s.answers->\($1)") }
        // Small numbers that are made here.
        let positions = Statement(unsafeSQL: (2...keys.count + 5).map(String.init).joined(separator: ", "))
        let rows = try await connection.query(
            """
            SELECT count(*), v.question_set, s.step, s.former,
                s.withdrawn OR NOT \(fragment: ShownState.holds(formID))\(fragment: values)
            FROM submission s JOIN form_version v ON v.form_id = s.form_id AND v.version = s.version
            WHERE s.form_id = \(formID) GROUP BY \(fragment: positions) ORDER BY \(fragment: positions)
            """)
        var cells: [FilterableQuestions.Cell] = []
        for row in rows {
            var columns = Columns(row)
            let (count, questionSet): (Int, Int) = (try columns.next(), try columns.next())
            let (last, former): (Int?, [Int]?) = (try columns.next(), try columns.next())
            let isGone: Bool = try columns.next()
            guard let last else { return nil }
            let steps = (former ?? []) + [questionSet, last]
            cells.append(
                FilterableQuestions.Cell(
                    values: try keys.map { _ in try columns.next() }, count: count,
                    arrivals: stride(from: 0, to: steps.count - 1, by: 2).map {
                        ReleasedCounts.Arrival(questionSet: steps[$0], step: steps[$0 + 1])
                    }, isGone: isGone))
        }
        return cells
    }

    /// A stored answer without the words of a single choice, which no count needs.
    private static func plain(_ value: Statement) -> Statement {
        """
        (CASE WHEN jsonb_typeof(\(fragment: value)) = 'object' THEN '{"other": ""}' ELSE \(fragment: value) END)::text
        """
    }

    /// Whether `submission s` gave the answer of each condition.
    static func matches(_ conditions: [Condition], among questions: [Question]) -> Statement {
        conditions.reduce("true") { all, condition in
            let value: Statement = "s.answers->\(condition.key)"
            let test: Statement
            switch questions.first(where: { $0.key == condition.key })?.kind {
            case .rating: test = "\(fragment: value) = to_jsonb(\(Int(condition.bucket) ?? 0)::int)"
            case .choice(let choice) where choice.multiple && condition.bucket == TallyKey.other:
                // A version before the first answer may have taken one option alone.
                test = "(\(fragment: value) @> '[{}]' OR jsonb_typeof(\(fragment: value)) = 'object')"
            case .choice(let choice) where choice.multiple: test = "\(fragment: value) ? \(condition.bucket)"
            case .choice where condition.bucket == TallyKey.other: test = "jsonb_typeof(\(fragment: value)) = 'object'"
            case .choice: test = "\(fragment: value) = to_jsonb(\(condition.bucket)::text)"
            case .text, nil: test = "false"
            }
            return all + " AND " + test
        }
    }
}
