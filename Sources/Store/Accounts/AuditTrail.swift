import Domain
import Foundation
import Postgres
import StrictJSON

/// One action of a host or admin.
public struct AuditEntry: Sendable {
    public var id: UUID
    public var at: Date
    public var accountID: UUID
    public var action: String
    public var subjectID: UUID
    public var detail: JSONValue?
    public var subject: AuditSubject?

    /// The id by which the subject is looked up. If a submission was deleted, it is the id of the meeting in `detail`;
    /// otherwise it is `subjectID`.
    var lookupID: UUID { detail?["meeting"]?.string.flatMap(UUID.init(uuidString:)) ?? subjectID }
}

/// A filter for listing actions, and the page to return. A listed action matches every filter that is set.
public struct AuditQuery: Sendable {
    /// The position of the last action on a page, after which the next page starts.
    public typealias Position = (at: Date, id: UUID)

    public var accountID: UUID?
    public var subjectID: UUID?
    public var action: String?
    public var from: Date?
    public var to: Date?
    public var after: Position?
    public var limit = 50

    public init() {}
}

/// The recorded actions of hosts and admins.
public struct AuditTrail: Sendable {
    let pool: Pool

    /// Returns actions, the newest first.
    public func list(_ query: AuditQuery) async throws -> [AuditEntry] {
        var statement: Statement = "SELECT id, at, account_id, act, subject_id, detail FROM audit WHERE true"
        if let account = query.accountID { statement += " AND account_id = \(account)" }
        if let subject = query.subjectID { statement += " AND subject_id = \(subject)" }
        if let action = query.action { statement += " AND act = \(action)" }
        if let from = query.from { statement += " AND at >= \(from)" }
        if let to = query.to { statement += " AND at < \(to)" }
        if let after = query.after { statement += " AND (at, id) < (\(after.at)::timestamptz, \(after.id)::uuid)" }
        var entries = try await pool.query(statement + "\nORDER BY at DESC, id DESC LIMIT \(query.limit)").map(
            Self.entry)
        let subjects = try await Self.subjects(of: entries, in: pool)
        for index in entries.indices { entries[index].subject = subjects[entries[index].lookupID] }
        return entries
    }

    static func entry(_ row: Row) throws -> AuditEntry {
        var columns = Columns(row)
        return AuditEntry(
            id: try columns.next(), at: try columns.next(), accountID: try columns.next(), action: try columns.next(),
            subjectID: try columns.next(), detail: try columns.next(String?.self).map(StoredJSON.parse))
    }
}

/// Writes the audit trail, in the transaction of each action.
enum Audit {
    /// Records an action.
    ///
    /// - Parameter detail: What the action's name does not say. Must not contain an address, because an erasure does
    ///   not search details.
    static func record(
        _ action: String, of subjectID: UUID, by accountID: UUID, detail: JSONValue? = nil, on connection: Connection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO audit (id, account_id, act, subject_id, detail)
            VALUES (\(UUIDv7.make()), \(accountID), \(action), \(subjectID), \(detail.map { JSONB($0.text) }))
            """)
    }
}
