import Cryptography
import Domain
import Foundation
import Postgres

/// One text as it was sent; of an anonymous form without its time and under an id that leads nowhere else.
public struct TextAnswer: Sendable {
    /// The submission's id, or on an anonymous form one that only this question knows.
    public var id: UUID
    public var submittedAt: Date?
    public var text: String
    public var isHidden: Bool
    /// Where it stands in its list, for the next page.
    public var position: String
}

/// What people wrote, page by page: for hosts, and for others what the host has released.
public struct TextAnswers: Sendable {
    let pool: Pool
    let keys: KeyRing
    let results: Results

    /// A page of a text question's answers, newest first; of an anonymous form in an order that tells nothing, and only
    /// when it is closed and nothing is withheld.
    ///
    /// - Parameter hidden: those that were hidden instead of the others.
    public func list(
        of meeting: Meeting, question key: String, containing words: String? = nil, hidden: Bool = false,
        after position: String? = nil, limit: Int
    ) async throws -> [TextAnswer] {
        _ = try await question(key, of: meeting)
        try await requireVisible(in: meeting)
        return try await page(
            of: meeting, key, containing: words, hidden: hidden, shuffled: meeting.form.anonymous, after: position,
            limit: limit)
    }

    /// The same for participants and for holders of a share: 403 unless the host has released them, none that is hidden,
    /// and always in an order that does not tell who was when at the door.
    public func released(
        of meeting: Meeting, question key: String, containing words: String? = nil, after position: String? = nil,
        limit: Int
    ) async throws -> [TextAnswer] {
        guard try await question(key, of: meeting) else {
            throw Problem(.resultsNotShown, "The host has not released these texts.")
        }
        try await requireVisible(in: meeting)
        return try await page(
            of: meeting, key, containing: words, hidden: false, shuffled: true, after: position, limit: limit)
    }

    /// Whether the question's texts are released; 404 unless it is a text question.
    func question(_ key: String, of meeting: Meeting) async throws -> Bool {
        let rows = try await pool.query(
            """
            SELECT q.definition->>'kind', coalesce(q.key = ANY (fs.released), false)
            FROM question q JOIN form_state fs ON fs.form_id = q.form_id
            WHERE q.form_id = \(meeting.form.id) AND q.key = \(key)
            """)
        let (kind, released) = try rows.found().decode(String.self, Bool.self)
        guard kind == "text" else { throw Problem(.notFound, "Only a text question has text answers.") }
        return released
    }

    /// 409 while an anonymous form's texts could tell who wrote them.
    func requireVisible(in meeting: Meeting) async throws {
        guard meeting.form.anonymous else { return }
        let state = meeting.form.state(at: meeting.now)
        guard state == .closed || state == .final, try await results.read(meeting.form.id).withheld == nil else {
            throw Problem(.resultsWithheld, "Texts of an anonymous form are shown once it is closed.")
        }
    }

    private func page(
        of meeting: Meeting, _ key: String, containing words: String?, hidden: Bool, shuffled: Bool,
        after position: String?, limit: Int
    ) async throws -> [TextAnswer] {
        let formID = meeting.form.id
        // Fixed width in both, so that the comparison of texts is that of times and ids.
        let order: Statement =
            shuffled
            ? "md5(\(key) || s.id::text)"
            : "to_char(s.submitted_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || s.id::text"
        let id = try await answerID(in: meeting, question: key)
        var statement: Statement = """
            SELECT \(fragment: id), s.submitted_at, s.answers->>\(key), \(fragment: order) AS position
            FROM submission s
            WHERE s.form_id = \(formID) AND NOT s.withdrawn AND s.answers->>\(key) IS NOT NULL
                AND (\(key) = ANY (coalesce(s.hidden, '{}'))) = \(hidden)
            """
        if let words {
            statement += " AND strpos(lower(s.answers->>\(key)), lower(\(words))) > 0"
        }
        if let position { statement += " AND \(fragment: order) < \(position)" }
        let rows = try await pool.query(statement + " ORDER BY position DESC LIMIT \(limit)")
        return try rows.map { row in
            let (id, at, text, position) = try row.decode(UUID.self, Date?.self, String.self, String.self)
            return TextAnswer(
                id: id, submittedAt: meeting.form.anonymous ? nil : at, text: text, isHidden: hidden,
                position: position)
        }
    }

    /// The id of an answer of `submission s`, as SQL.
    ///
    /// On an anonymous form it is a keyed hash, so that two answers of one submission cannot be joined by it. Its key is
    /// of the secret file, the form and the question; not of the form's salt, which goes when the form becomes final.
    func answerID(in meeting: Meeting, question key: String) async throws -> Statement {
        guard meeting.form.anonymous else { return "s.id" }
        let number = try await pool.query(
            "SELECT key_id FROM form_state WHERE form_id = \(meeting.form.id)"
        ).found().decode(Int.self)
        let formKey = HKDF.sha256(
            key: try keys.key(number), salt: Array(meeting.form.id.lowercased.utf8),
            info: Array("afterword/1/answer".utf8), count: 32)
        let answerKey = HMACSHA256.authenticate(parts: [Array(key.utf8)], key: formKey)
        return "encode(substring(sha256(\(answerKey)::bytea || uuid_send(s.id)) FOR 16), 'hex')::uuid"
    }
}

extension Store {
    public var texts: TextAnswers { TextAnswers(pool: pool, keys: keys, results: results) }
}
