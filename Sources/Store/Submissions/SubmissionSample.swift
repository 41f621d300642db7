import Domain
import Foundation
import Postgres

/// The submissions of one form that filters and cross-tabs count: all of them, or a sample that is the same for all
/// readers.
struct SubmissionSample: Sendable {
    let formID: UUID
    var size: SampleSize
    /// Whether to read only question sets that are shown.
    var shownOnly = false

    init(of results: FormResults, budget: Int, shownOnly: Bool) {
        formID = results.formID
        // Counts only questions that were part of the form while answers arrived, so that a question added to a closed
        // form does not change the sample.
        let questionCount = results.questions.filter { $0.asked > 0 }.count
        size = SampleSize(submissions: results.submissions, questions: questionCount, budget: budget)
        self.shownOnly = shownOnly
    }

    /// A condition: whether `submission s` belongs to the sample.
    var rows: Statement {
        var condition: Statement = "s.form_id = \(formID) AND NOT s.withdrawn"
        if let bound = size.bound { condition += " AND s.id < \(bound)" }
        if shownOnly { condition += " AND " + ShownState.isSubmissionShown(of: formID) }
        return condition
    }

    /// The counts of one reading.
    struct Counted: Sendable {
        /// The number of submissions read.
        var read = 0
        /// The number of matching submissions, by version.
        var matching: [Int: Int] = [:]
        /// The number of matching submissions for each answer to each question. The answer is nil for a text, which is
        /// not read.
        var answers: [(key: String, stored: String?, count: Int)] = []
    }

    /// Counts the submissions that match the condition, and their answers to all questions. Each submission is read
    /// once, because reading a row costs more than reading its answers.
    ///
    /// - Parameter texts: The keys of the text questions.
    func count(where condition: Statement, texts: [String], on connection: Connection) async throws -> Counted {
        let rows = try await connection.query(
            """
            SELECT s.version, \(fragment: condition), e.key,
                CASE WHEN e.key <> ALL (\(texts)) THEN \(fragment: Self.answerWithoutText("e.value")) END, count(*),
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

    /// Counts the submissions by their answers to these questions. A value is nil if there is no answer.
    func groups(
        of keys: [String], on connection: Connection
    ) async throws -> [(values: [String?], count: Int)] {
        guard !keys.isEmpty else { return [] }
        let values = keys.map { Self.answerWithoutText("s.answers->\($0)") }
        let list = values.dropFirst().reduce(values[0]) { $0 + ", " + $1 }
        // These numbers are generated, so they are safe in SQL.
        let positions = Statement(unsafeSQL: (2...keys.count + 1).map(String.init).joined(separator: ", "))
        let counted = try await connection.query(
            """
            SELECT count(*), \(fragment: list) FROM submission s WHERE \(fragment: rows) GROUP BY \(fragment: positions)
            """)
        return try counted.map { row in
            (try keys.indices.map { try row.decode(String?.self, at: $0 + 1) }, try row.decode(Int.self, at: 0))
        }
    }

    /// Counts all submissions, including withdrawn ones, by their answers to these questions and by the steps in which
    /// they arrived and changed. Returns nil if a step is unknown.
    func cells(of keys: [String], on connection: Connection) async throws -> [FilterableQuestions.Cell]? {
        let values = keys.reduce("" as Statement) { $0 + ", " + Self.answerWithoutText("s.answers->\($1)") }
        // These numbers are generated, so they are safe in SQL.
        let positions = Statement(unsafeSQL: (2...keys.count + 5).map(String.init).joined(separator: ", "))
        let rows = try await connection.query(
            """
            SELECT count(*), v.question_set, s.step, s.former,
                s.withdrawn OR NOT \(fragment: ShownState.isSubmissionShown(of: formID))\(fragment: values)
            FROM submission s JOIN form_version v ON v.form_id = s.form_id AND v.version = s.version
            WHERE s.form_id = \(formID) GROUP BY \(fragment: positions) ORDER BY \(fragment: positions)
            """)
        var cells: [FilterableQuestions.Cell] = []
        for row in rows {
            var columns = Columns(row)
            let (count, questionSet): (Int, Int) = (try columns.next(), try columns.next())
            let (last, former): (Int?, [Int]?) = (try columns.next(), try columns.next())
            let isExcluded: Bool = try columns.next()
            guard let last else { return nil }
            let steps = (former ?? []) + [questionSet, last]
            cells.append(
                FilterableQuestions.Cell(
                    values: try keys.map { _ in try columns.next() }, count: count,
                    arrivals: stride(from: 0, to: steps.count - 1, by: 2).map {
                        ReleasedCounts.Arrival(questionSet: steps[$0], step: steps[$0 + 1])
                    }, isExcluded: isExcluded))
        }
        return cells
    }

    /// Shown submissions whose current answers belong to the same question set, arrived in the same step, and are the
    /// same for some questions.
    struct Arrived: Sendable {
        var arrival: ReleasedCounts.Arrival
        /// The shared answers to those questions.
        var cell: [String?]
        var count: Int
        /// The counts of the stored answers to each of the other questions, by key. The answer is nil for a text, which
        /// is not read.
        var answers: [String: [(stored: String?, count: Int)]] = [:]
    }

    /// Counts the shown submissions by their steps, by their answers to these questions, and by each answer to any
    /// other question. Returns nil if a step is unknown.
    ///
    /// - Parameter texts: The keys of the text questions.
    func arrived(with keys: [String], texts: [String], on connection: Connection) async throws -> [Arrived]? {
        let values = keys.reduce("" as Statement) { $0 + ", " + Self.answerWithoutText("s.answers->\($1)") }
        // These numbers are generated, so they are safe in SQL.
        let positions = Statement(unsafeSQL: (3...keys.count + 6).map(String.init).joined(separator: ", "))
        let rows = try await connection.query(
            """
            SELECT count(*), count(*) FILTER (WHERE coalesce(e.position, 1) = 1), v.question_set, s.step, e.key,
                CASE WHEN e.key <> ALL (\(texts)) THEN \(fragment: Self.answerWithoutText("e.value")) END
                \(fragment: values)
            FROM submission s JOIN form_version v ON v.form_id = s.form_id AND v.version = s.version
            LEFT JOIN jsonb_each(s.answers) WITH ORDINALITY AS e (key, value, position) ON true
            WHERE \(fragment: self.rows) GROUP BY \(fragment: positions) ORDER BY \(fragment: positions)
            """)
        var groups: [Arrived] = []
        var indices: [[String?]: Int] = [:]
        for row in rows {
            var columns = Columns(row)
            let (count, submissions, questionSet): (Int, Int, Int) = (
                try columns.next(), try columns.next(), try columns.next()
            )
            guard let step: Int = try columns.next() else { return nil }
            let (key, stored): (String?, String?) = (try columns.next(), try columns.next())
            let cell: [String?] = try keys.map { _ in try columns.next() }
            let identity = ["\(questionSet)", "\(step)"] + cell
            let index = indices[identity] ?? groups.count
            if index == groups.count {
                indices[identity] = index
                groups.append(
                    Arrived(arrival: .init(questionSet: questionSet, step: step), cell: cell, count: 0))
            }
            groups[index].count += submissions
            if let key { groups[index].answers[key, default: []].append((stored, count)) }
        }
        return groups
    }

    /// An expression: the stored answer, without the text of `other`, which is not counted.
    private static func answerWithoutText(_ value: Statement) -> Statement {
        """
        (CASE WHEN jsonb_typeof(\(fragment: value)) = 'object' THEN '{"other": ""}' ELSE \(fragment: value) END)::text
        """
    }

    /// An SQL condition: whether `submission s` matches all of these conditions.
    static func matches(_ conditions: [Condition], among questions: [Question]) -> Statement {
        conditions.reduce("true") { all, condition in
            let value: Statement = "s.answers->\(condition.key)"
            let test: Statement
            switch questions.first(where: { $0.key == condition.key })?.kind {
            case .rating where condition.bucket == Limits.abstention:
                test = "\(fragment: value) = to_jsonb(\(condition.bucket)::text)"
            case .rating: test = "\(fragment: value) = to_jsonb(\(Int(condition.bucket) ?? 0)::int)"
            case .choice(let choice) where choice.multiple && condition.bucket == TallyKey.other:
                // In an older version, the question may have been a single choice.
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
