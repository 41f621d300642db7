import Domain
import Foundation
import Postgres
import StrictJSON

/// The star and the tags that hosts give to a text.
public struct TextMarks: Sendable, Equatable {
    /// The maximum number of tags of a text, of different tags of a question, and of characters of a tag.
    public static let (maxTags, maxDifferentTags, maxLength) = (5, 30, 30)

    public var isStarred: Bool
    /// In the order in which they were given.
    public private(set) var tags: [String]

    /// - Parameter tags: Blanks at the ends do not count, and neither do empty tags and repeated ones, whatever their
    ///   case. Throws 422 for too many, for long ones, and for characters that no word has.
    public init(isStarred: Bool = false, tags: [String] = []) throws(Problem) {
        (self.isStarred, self.tags) = (isStarred, [])
        var known: Set<String> = []
        for (index, typed) in tags.enumerated() {
            let tag = typed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                .precomposedStringWithCanonicalMapping
            guard !tag.isEmpty, known.insert(tag.lowercased()).inserted else { continue }
            guard tag.count <= Self.maxLength, tag.utf8.count <= Self.maxLength * 4 else {
                throw Problem(
                    invalid: "/tags/\(index)", code: "too-long", "At most \(Self.maxLength) characters are allowed.")
            }
            guard !tag.unicodeScalars.contains(where: { $0.properties.generalCategory == .control || $0 == "," }) else {
                throw Problem(
                    invalid: "/tags/\(index)", code: "invalid-character",
                    "A tag has no commas and no control characters.")
            }
            self.tags.append(tag)
        }
        guard self.tags.count <= Self.maxTags else {
            throw Problem(invalid: "/tags", code: "too-many", "A text has at most \(Self.maxTags) tags.")
        }
    }

    public static let none = TextMarks()

    private init() { (isStarred, tags) = (false, []) }

    /// Reads a stored value of one question.
    init(stored text: String?) throws {
        let value = try text.map { try JSONValue.parse(Array($0.utf8)) }
        isStarred = value?["star"]?.bool == true
        tags = value?["tags"]?.array?.compactMap(\.string) ?? []
    }

    /// Nil if there are none.
    var stored: String? {
        guard self != .none else { return nil }
        var members: [JSONValue.Member] = isStarred ? [.init("star", .bool(true))] : []
        if !tags.isEmpty { members.append(.init("tags", .array(tags.map { .string($0) }))) }
        return JSONValue.object(members).text
    }
}

/// Which texts of a question a list contains.
public struct TextFilter: Sendable, Hashable {
    /// Whether to list the hidden texts instead of the visible ones.
    public var hidden: Bool
    /// Whether to list only the texts with a star.
    public var starred: Bool
    /// Lists only the texts with this tag.
    public var tag: String?

    public init(hidden: Bool = false, starred: Bool = false, tag: String? = nil) {
        (self.hidden, self.starred, self.tag) = (hidden, starred, tag)
    }

    /// A condition: whether the list contains the text of `submission s`.
    func contains(_ question: TextQuestion) -> Statement {
        var condition: Statement = """
            NOT s.withdrawn AND (\(question.key) = ANY (coalesce(s.hidden, '{}'))) = \(hidden)
                AND \(fragment: question.isVisible)
            """
        // No stored text contains a NUL, and PostgreSQL refuses it in JSON.
        if tag?.utf8.contains(0) == true { return "false" }
        if starred || tag != nil {
            var members: [JSONValue.Member] = starred ? [.init("star", .bool(true))] : []
            if let tag { members.append(.init("tags", .array([.string(tag)]))) }
            let marks = JSONValue.object([.init(question.key, .object(members))])
            condition += " AND coalesce(s.marks @> \(JSONB(marks.text)), false)"
        }
        return "(" + condition + ")"
    }
}

extension TextAnswers {
    /// The tags of a question's visible texts with the number of texts, the most frequent first, and the number of
    /// texts with a star.
    public struct MarkCounts: Sendable {
        public var starred = 0
        public var tags: [(tag: String, count: Int)] = []
    }

    /// Counts the stars and tags of a text question. Throws 409 while an anonymous form's texts may not be read.
    public func markCounts(of meeting: Meeting, question key: String) async throws -> MarkCounts {
        try await reading(for: .host) { connection in
            let question = try await TextQuestion.read(key, of: meeting, on: connection)
            try await Self.requireVisible(in: meeting, on: connection)
            let rows = try await connection.query(
                """
                SELECT s.marks->>\(key) FROM submission s
                WHERE s.form_id = \(question.formID) AND s.marks IS NOT NULL AND s.marks ? \(key)
                    AND s.answers ? \(key) AND \(fragment: TextFilter().contains(question))
                """)
            var (counts, numbers): (MarkCounts, [String: Int]) = (MarkCounts(), [:])
            for row in rows {
                let marks = try TextMarks(stored: row.decode(String?.self))
                counts.starred += marks.isStarred ? 1 : 0
                for tag in marks.tags { numbers[tag, default: 0] += 1 }
            }
            counts.tags = numbers.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
            return counts
        }
    }

    /// Replaces the star and the tags of a text. Repeating the call changes nothing.
    ///
    /// They stay while the text does. Throws 404 for an answer that does not belong to this question, and 409 if an
    /// anonymous form becomes final during the call. Throws 422 for a new tag if the question has too many.
    public func setMarks(
        _ marks: TextMarks, answer answerID: UUID, question key: String, of meeting: Meeting, by accountID: UUID
    ) async throws {
        try await changeText(answerID, question: key, of: meeting) { submissionID, connection in
            let formID = meeting.form.id
            let rows = try await connection.query(
                "SELECT s.marks->>\(key) FROM submission s WHERE s.form_id = \(formID) AND s.id = \(submissionID)")
            guard try TextMarks(stored: rows.requireFirst().decode(String?.self)) != marks else { return }
            try await Self.requireRoom(for: marks, question: key, formID, on: connection)
            let change: Statement =
                marks.stored.map { "jsonb_set(coalesce(marks, '{}'), ARRAY[\(key)], \(JSONB($0)))" }
                ?? "nullif(marks - \(key), '{}')"
            try await connection.execute(
                "UPDATE submission SET marks = \(fragment: change) WHERE form_id = \(formID) AND id = \(submissionID)")
            try await Audit.record(
                "answer.mark", of: meeting.id, by: accountID,
                detail: Self.auditDetail(answerID, question: key, of: meeting), on: connection)
        }
    }

    private static func requireRoom(
        for marks: TextMarks, question key: String, _ formID: UUID, on connection: Connection
    ) async throws {
        guard !marks.tags.isEmpty else { return }
        let rows = try await connection.query(
            """
            SELECT DISTINCT jsonb_array_elements_text(s.marks->\(key)->'tags') FROM submission s
            WHERE s.form_id = \(formID) AND s.marks IS NOT NULL AND s.marks->\(key) ? 'tags'
            """)
        let known = Set(try rows.map { try $0.decode(String.self) })
        let all = known.union(marks.tags)
        guard all.count <= max(TextMarks.maxDifferentTags, known.count) else {
            throw Problem(
                invalid: "/tags", code: "too-many",
                "The texts of a question have at most \(TextMarks.maxDifferentTags) different tags.")
        }
    }
}
