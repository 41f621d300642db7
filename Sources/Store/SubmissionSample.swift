import Domain
import Foundation
import Postgres

/// The submissions of one form that a counting reads, all or the same part for everybody, and how they are counted.
struct SubmissionSample: Sendable {
    let formID: UUID
    let size: SampleSize

    /// Of `submission s`.
    private var rows: Statement {
        var condition: Statement = "s.form_id = \(formID) AND NOT s.withdrawn"
        if let bound = size.bound { condition += " AND s.id < \(bound)" }
        return condition
    }

    /// So many submissions of each version: read, and of them those that match.
    func count(
        where condition: Statement, on connection: Connection
    ) async throws -> [(version: Int, read: Int, matching: Int)] {
        let counted = try await connection.query(
            """
            SELECT s.version, count(*), count(*) FILTER (WHERE \(fragment: condition))
            FROM submission s WHERE \(fragment: rows) GROUP BY 1
            """)
        return try counted.map { row in
            let (version, read, matching) = try row.decode(Int.self, Int.self, Int.self)
            return (version, read, matching)
        }
    }

    /// Each answer to each question and how many of those that match gave it; nil for a text, which is not read.
    func answers(
        where condition: Statement, texts: [String], on connection: Connection
    ) async throws -> [(key: String, stored: String?, count: Int)] {
        let counted = try await connection.query(
            """
            SELECT e.key, CASE WHEN e.key <> ALL (\(texts)) THEN \(fragment: Self.plain("e.value")) END, count(*)
            FROM submission s CROSS JOIN jsonb_each(s.answers) AS e
            WHERE \(fragment: rows) AND \(fragment: condition) GROUP BY 1, 2
            """)
        return try counted.map { row in
            let (key, stored, count) = try row.decode(String.self, String?.self, Int.self)
            return (key, stored, count)
        }
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
                test = "\(fragment: value) @> '[{}]'"
            case .choice(let choice) where choice.multiple: test = "\(fragment: value) ? \(condition.bucket)"
            case .choice where condition.bucket == TallyKey.other: test = "jsonb_typeof(\(fragment: value)) = 'object'"
            case .choice: test = "\(fragment: value) = to_jsonb(\(condition.bucket)::text)"
            case .text, nil: test = "false"
            }
            return all + " AND " + test
        }
    }
}
