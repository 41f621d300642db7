import Domain
import Foundation
import Postgres

/// The submissions of one form that a counting reads, all or the same part for everybody, and how they are counted.
struct SubmissionSample: Sendable {
    let formID: UUID
    var size: SampleSize
    /// Leaves out the question sets that too few have answered.
    var shownOnly = false

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
