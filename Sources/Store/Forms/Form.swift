import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON

/// A meeting's form as its host sees it, with the working definition and the current state.
public struct Form: Sendable {
    public var id: UUID
    public var meetingID: UUID
    public var code: String
    public var joinCode: String
    public var definition: FormDefinition
    /// The number of the newest published version; 0 for a draft.
    public var version: Int
    /// Grows with each action that changes the form, but not with a scheduled opening or closing.
    public var revision: Int
    public var updatedAt: Date
    public var life: FormLife
    public var submissions: Int
    public var meetingStartsAt: Date?
    public var meetingEndsAt: Date?
    /// The database's clock at the time of reading.
    public var now: Date
    public var retention: Retention

    /// What happens to the answers after the close.
    public struct Retention: Sendable, Equatable {
        /// The number of days from the close to the deletion of the answers; nil if they are kept.
        public var days: Int?
        /// When the answers will be deleted; nil if they are kept or already deleted, or if it is not known when the
        /// form closes.
        public var deletesAt: Date?
        /// When the answers were deleted. The counts stay.
        public var deletedAt: Date?

        /// Columns of `form_state fs` and `series s`.
        static let columns: Statement = """
            \(fragment: FormRetention.days), \(fragment: FormRetention.deletesAt), fs.answers_expired_at
            """

        static func read(_ columns: inout Columns) throws -> Retention {
            Retention(days: try columns.next(), deletesAt: try columns.next(), deletedAt: try columns.next())
        }

        /// A part of an entity tag; empty if the answers are kept.
        var tag: String {
            guard let days, deletedAt == nil else { return deletedAt == nil ? "" : "-deleted" }
            return "-\(days)d" + (deletesAt.map { "-\(Int($0.timeIntervalSince1970))" } ?? "")
        }
    }

    public var state: FormState { life.state(at: now) }

    /// Whether finalising has begun but is not complete.
    public var isFinalising: Bool { life.stored == .finalising }

    /// An entity tag that changes whenever the host's view of the form does.
    public var tag: String { "f\(revision)-\(isFinalising ? "finalising" : state.rawValue)\(retention.tag)" }

    /// Columns of `form f`, `form_state fs`, `meeting m` and `series s`.
    static let columns: Statement = """
        f.id, f.meeting_id, f.code, f.join_code, f.definition, f.version, f.revision, f.updated_at,
            fs.state, fs.opens_at, fs.closes_at, fs.grace_minutes, fs.submissions, m.starts_at, m.ends_at,
            clock_timestamp(), \(fragment: Retention.columns)
        """

    static let select: Statement = """
        SELECT \(fragment: columns)
        FROM form f JOIN form_state fs ON fs.form_id = f.id JOIN meeting m ON m.id = f.meeting_id
            JOIN series s ON s.id = m.series_id
        """

    static func read(_ row: Row) throws -> Form {
        var columns = Columns(row)
        return try read(&columns)
    }

    static func read(_ columns: inout Columns) throws -> Form {
        Form(
            id: try columns.next(), meetingID: try columns.next(), code: try columns.next(),
            joinCode: try columns.next(), definition: try FormDefinition(json: StoredJSON.parse(try columns.next())),
            version: try columns.next(), revision: try columns.next(), updatedAt: try columns.next(),
            life: try FormLife.read(&columns),
            submissions: try columns.next(), meetingStartsAt: try columns.next(), meetingEndsAt: try columns.next(),
            now: try columns.next(), retention: try .read(&columns))
    }

    /// Inserts a draft for each of the new meetings, with its codes and its salt.
    static func insert(
        _ definition: FormDefinition, meetingIDs: [UUID], keyID: Int, on connection: Connection
    ) async throws {
        let ids = meetingIDs.map { _ in UUIDv7.make() }
        try await connection.execute(
            """
            INSERT INTO form (id, meeting_id, code, join_code, definition)
            SELECT u.id, u.meeting_id, u.code, u.join_code, \(JSONB(definition.json.text))
            FROM unnest(\(ids), \(meetingIDs), \(ids.map { _ in FormCode.make(13) }),
                \(ids.map { _ in FormCode.make(8) })) AS u (id, meeting_id, code, join_code)
            """)
        try await connection.execute(
            """
            INSERT INTO form_state (form_id, key_id, once_only, anonymous, minimum_group, show_results, cap,
                grace_minutes, updated_at)
            SELECT u.id, \(keyID)::int, \(definition.identity != .open), \(definition.anonymous),
                \(definition.minimumGroup)::int, \(definition.showResults.rawValue), \(definition.cap)::int,
                \(definition.graceMinutes)::int, clock_timestamp()
            FROM unnest(\(ids)) AS u (id)
            """)
        try await connection.execute(
            """
            INSERT INTO form_salt (form_id, salt)
            SELECT u.id, u.salt FROM unnest(\(ids), \(ids.map { _ in RandomBytes.make(32) })) AS u (id, salt)
            """)
    }
}

/// Codes for typing and scanning: Crockford's base 32 in lower case, five random bits per character.
enum FormCode {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    static func make(_ length: Int) -> String {
        String(decoding: RandomBytes.make(length).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    }

    /// Returns whether a text can be the code of a form, so that other texts need no query.
    static func isPlausible(_ code: String) -> Bool {
        code.utf8.count == 13 && code.utf8.allSatisfy { alphabet.contains($0) }
    }

    /// Normalises a typed code. Phones capitalize the first letter, and people confuse digits with similar letters that
    /// the alphabet does not contain.
    static func typed(_ text: String) -> String {
        String(
            text.lowercased().map { letter in
                switch letter {
                case "o": "0"
                case "i", "l": "1"
                default: letter
                }
            })
    }

    /// Returns whether a text can be a join code.
    static func isPlausibleJoinCode(_ code: String) -> Bool {
        code.utf8.count == 8 && code.utf8.allSatisfy { alphabet.contains($0) }
    }
}

/// Parses JSON that this program has stored in the database.
enum StoredJSON {
    static func parse(_ text: String) throws -> JSONValue {
        try JSONValue.parse(Array(text.utf8))
    }
}

/// The facts about a form that the hot path needs without a query. They are in a class, so that requests share one
/// instance instead of copying it.
final class FormFacts: Sendable {
    let id: UUID
    let meetingID: UUID
    let code: String
    /// The number of the newest published version; 0 for a draft.
    let version: Int
    let identity: FormDefinition.Identity
    let anonymous: Bool
    /// Whether the form is large, by the counts of all its versions. Once a form is large, it stays large, because
    /// corrections and withdrawals change the counts of earlier versions too.
    let isLarge: Bool
    /// Nil for a final anonymous form, whose salt has been deleted. Such a form accepts no submissions and cannot
    /// recognize respondents.
    let keys: FormKeys?

    init(
        id: UUID, meetingID: UUID, code: String, version: Int, identity: FormDefinition.Identity, anonymous: Bool,
        isLarge: Bool, keys: FormKeys?
    ) {
        (self.id, self.meetingID, self.code, self.version) = (id, meetingID, code, version)
        (self.identity, self.anonymous, self.isLarge, self.keys) = (identity, anonymous, isLarge, keys)
    }
}
