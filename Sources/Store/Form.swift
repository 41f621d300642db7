import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON

/// A meeting's form as its host sees it: the working definition and where the form stands in its life.
public struct Form: Sendable {
    public var id: UUID
    public var meetingID: UUID
    public var code: String
    public var joinCode: String
    public var definition: FormDefinition
    /// The newest published version, 0 before the first.
    public var version: Int
    /// Counts the acts of hosts on the form; a timed opening or closing does not count.
    public var revision: Int
    public var updatedAt: Date
    public var life: FormLife
    public var submissions: Int
    public var meetingStartsAt: Date?
    public var meetingEndsAt: Date?
    /// The database's clock at the reading.
    public var now: Date

    public var state: FormState { life.state(at: now) }

    /// Changes whenever what a host reads of the form does.
    public var tag: String { "f\(revision)-\(state.rawValue)" }

    static let select: Statement = """
        SELECT f.id, f.meeting_id, f.code, f.join_code, f.definition, f.version, f.revision, f.updated_at,
            fs.state, fs.opens_at, fs.closes_at, fs.grace_minutes, fs.submissions, m.starts_at, m.ends_at,
            clock_timestamp()
        FROM form f JOIN form_state fs ON fs.form_id = f.id JOIN meeting m ON m.id = f.meeting_id
        """

    static func read(_ row: Row) throws -> Form {
        var columns = Columns(row)
        return Form(
            id: try columns.next(), meetingID: try columns.next(), code: try columns.next(),
            joinCode: try columns.next(), definition: try FormDefinition(json: StoredJSON.parse(try columns.next())),
            version: try columns.next(), revision: try columns.next(), updatedAt: try columns.next(),
            life: FormLife(
                stored: FormLife.Stored(rawValue: try columns.next()) ?? .draft, opensAt: try columns.next(),
                closesAt: try columns.next(), graceMinutes: try columns.next()),
            submissions: try columns.next(), meetingStartsAt: try columns.next(), meetingEndsAt: try columns.next(),
            now: try columns.next())
    }

    /// A meeting's empty or prepared form, in state draft, with its salt.
    @discardableResult
    static func insert(
        _ definition: FormDefinition, meetingID: UUID, keyID: Int, id: UUID = UUIDv7.make(),
        on connection: Connection
    ) async throws -> UUID {
        try await connection.execute(
            """
            INSERT INTO form (id, meeting_id, code, join_code, definition)
            VALUES (\(id), \(meetingID), \(FormCode.make(13)), \(FormCode.make(8)), \(JSONB(definition.json.text)))
            """)
        try await connection.execute(
            """
            INSERT INTO form_state (form_id, key_id, once_only, anonymous, minimum_group, show_results, cap,
                grace_minutes, updated_at)
            VALUES (\(id), \(keyID), \(definition.identity != .open), \(definition.anonymous),
                \(definition.minimumGroup), \(definition.showResults.rawValue), \(definition.cap),
                \(definition.graceMinutes), clock_timestamp())
            """)
        try await connection.execute(
            "INSERT INTO form_salt (form_id, salt) VALUES (\(id), \(RandomBytes.make(32)))")
        return id
    }
}

/// Codes that people type or scan: Crockford's base 32 in lower case, five random bits a character.
enum FormCode {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    static func make(_ length: Int) -> String {
        String(decoding: RandomBytes.make(length).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    }

    /// Spares the database a look for what cannot be there.
    static func isPlausible(_ code: String) -> Bool {
        code.utf8.count == 13 && code.utf8.allSatisfy { alphabet.contains($0) }
    }

    static func isPlausibleJoinCode(_ code: String) -> Bool {
        code.utf8.count == 8 && code.utf8.allSatisfy { alphabet.contains($0) }
    }
}

/// JSON that this program wrote and the database kept.
enum StoredJSON {
    static func parse(_ text: String) throws -> JSONValue {
        try JSONValue.parse(Array(text.utf8))
    }
}
