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
    let slots: TextSlots

    /// A page of a text question's answers, newest first; of an anonymous form in an order that tells nothing, and only
    /// when it is closed and nothing is withheld.
    ///
    /// - Parameter hidden: those that were hidden instead of the others.
    public func list(
        of meeting: Meeting, question key: String, containing words: String? = nil, hidden: Bool = false,
        after position: String? = nil, limit: Int
    ) async throws -> [TextAnswer] {
        let page = Page(
            key: key, words: words, hidden: hidden, shuffled: meeting.form.anonymous, position: position, limit: limit)
        return try await reading(forHost: true) { connection in
            _ = try await Self.question(key, of: meeting, on: connection)
            try await Self.requireVisible(in: meeting, on: connection)
            return try await read(page, of: meeting, on: connection)
        }
    }

    /// The same for participants and for holders of a share: 403 unless the host has released them, none that is hidden,
    /// and always in an order that does not tell who was when at the door.
    public func released(
        of meeting: Meeting, question key: String, containing words: String? = nil, after position: String? = nil,
        limit: Int
    ) async throws -> [TextAnswer] {
        let page = Page(
            key: key, words: words, hidden: false, shuffled: true, position: position, limit: limit)
        return try await reading(forHost: false) { connection in
            guard try await Self.question(key, of: meeting, on: connection) else {
                throw Problem(.resultsNotShown, "The host has not released these texts.")
            }
            try await Self.requireVisible(in: meeting, on: connection)
            return try await read(page, of: meeting, on: connection)
        }
    }

    /// Reads in one snapshot, so that what was judged is what is read; one of a few at a time, and not for long.
    func reading<T: Sendable>(
        forHost isHost: Bool, _ body: @Sendable (Connection) async throws -> T
    ) async throws -> T {
        let slot = try await slots.take(forHost: isHost)
        defer { withExtendedLifetime(slot) {} }
        return try await pool.transaction(isolation: .repeatableRead) { connection in
            try await connection.execute(TextSlots.limit)
            return try await body(connection)
        }
    }

    /// Whether the question's texts are released; 404 unless it is a text question.
    static func question(_ key: String, of meeting: Meeting, on connection: Connection) async throws -> Bool {
        let rows = try await connection.query(
            """
            SELECT q.definition->>'kind', coalesce(q.key = ANY (fs.released), false)
            FROM question q JOIN form_state fs ON fs.form_id = q.form_id
            WHERE q.form_id = \(meeting.form.id) AND q.key = \(key)
            """)
        let (kind, released) = try rows.found().decode(String.self, Bool.self)
        guard kind == "text" else { throw Problem(.notFound, "Only a text question has text answers.") }
        return released
    }

    /// 409 while an anonymous form's texts could tell who wrote them; by how the form is now, not when the request came.
    static func requireVisible(in meeting: Meeting, on connection: Connection) async throws {
        guard meeting.form.anonymous else { return }
        let rows = try await connection.query(
            Meeting.select() + "\nWHERE m.id = \(meeting.id) AND m.deleted_at IS NULL")
        let meeting = try Meeting.read(rows.found())
        let state = meeting.form.state(at: meeting.now)
        let results = try await Results.read([meeting.form.id], on: connection)[meeting.form.id]
        guard state == .closed || state == .final, let results, results.withheld == nil else {
            throw Problem(.resultsWithheld, "Texts of an anonymous form are shown once it is closed.")
        }
    }

    /// Which texts are asked for.
    private struct Page: Sendable {
        var key: String
        var words: String?
        var hidden: Bool
        var shuffled: Bool
        var position: String?
        var limit: Int
    }

    private func read(_ page: Page, of meeting: Meeting, on connection: Connection) async throws -> [TextAnswer] {
        let (formID, key) = (meeting.form.id, page.key)
        let name = try await AnswerNames(keys: keys).name(of: formID, question: key, on: connection)
        // Fixed width in both, so that the comparison of texts is that of times and ids.
        let order: Statement =
            page.shuffled
            ? name : "to_char(s.submitted_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || s.id::text"
        let id = Self.id(in: meeting, name)
        var statement: Statement = """
            SELECT \(fragment: id), s.submitted_at, s.answers->>\(key), \(fragment: order) AS position
            FROM submission s
            WHERE s.form_id = \(formID) AND NOT s.withdrawn AND s.answers->>\(key) IS NOT NULL
                AND (\(key) = ANY (coalesce(s.hidden, '{}'))) = \(page.hidden)
            """
        if let words = page.words {
            statement += " AND strpos(lower(s.answers->>\(key)), lower(\(words))) > 0"
        }
        if let position = page.position { statement += " AND \(fragment: order) < \(position)" }
        let rows = try await connection.query(statement + " ORDER BY position DESC LIMIT \(page.limit)")
        return try rows.map { row in
            let (id, at, text, position) = try row.decode(UUID.self, Date?.self, String.self, String.self)
            return TextAnswer(
                id: id, submittedAt: meeting.form.anonymous ? nil : at, text: text, isHidden: page.hidden,
                position: position)
        }
    }

    /// The id of an answer of `submission s`, as SQL: on an anonymous form its name in the question, by which two answers
    /// of one submission cannot be joined.
    static func id(in meeting: Meeting, _ name: Statement) -> Statement {
        meeting.form.anonymous ? "\(fragment: name)::uuid" : "s.id"
    }
}

extension Store {
    public var texts: TextAnswers { TextAnswers(pool: pool, keys: keys, slots: textSlots) }
}
