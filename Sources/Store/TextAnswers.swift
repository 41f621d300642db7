import Domain
import Foundation
import Postgres

/// One text as it was sent; of an anonymous form without its submission and time.
public struct TextAnswer: Sendable {
    public var submissionID: UUID?
    public var submittedAt: Date?
    public var text: String
    /// Where it stands in its list, for the next page.
    public var position: String
}

extension Results {
    /// A page of a text question's answers, newest first; of an anonymous form in an order that tells nothing, and only
    /// when it is closed and nothing is withheld.
    public func texts(
        of meeting: Meeting, question key: String, containing words: String?, after position: String?, limit: Int
    ) async throws -> [TextAnswer] {
        let form = meeting.form
        let asked = try await pool.query(
            "SELECT definition->>'kind' FROM question WHERE form_id = \(form.id) AND key = \(key)")
        guard try asked.found().decode(String.self) == "text" else {
            throw Problem(.notFound, "Only a text question has text answers.")
        }
        if form.anonymous {
            let results = try await read(form.id)
            let state = form.state(at: meeting.now)
            guard results.withheld == nil, state == .closed || state == .final else {
                throw Problem(.resultsWithheld, "Texts of an anonymous form are shown once it is closed.")
            }
        }
        // Fixed width in both, so that the comparison of texts is that of times and ids.
        let order: Statement =
            form.anonymous
            ? "md5(\(key) || s.id::text)"
            : "to_char(s.submitted_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || s.id::text"
        var statement: Statement = """
            SELECT s.id, s.submitted_at, s.answers->>\(key), \(fragment: order) AS position FROM submission s
            WHERE s.form_id = \(form.id) AND NOT s.withdrawn AND s.answers->>\(key) IS NOT NULL
                AND NOT \(key) = ANY (coalesce(s.hidden, '{}'))
            """
        if let words {
            statement += " AND strpos(lower(s.answers->>\(key)), lower(\(words))) > 0"
        }
        if let position { statement += " AND \(fragment: order) < \(position)" }
        let rows = try await pool.query(statement + " ORDER BY position DESC LIMIT \(limit)")
        return try rows.map { row in
            let (id, at, text, position) = try row.decode(UUID.self, Date?.self, String.self, String.self)
            return TextAnswer(
                submissionID: form.anonymous ? nil : id, submittedAt: form.anonymous ? nil : at, text: text,
                position: position)
        }
    }
}
