import Domain
import Foundation
import Postgres

/// An invitation with which one host can sign up, as admins see it: without its code.
public struct Invitation: Sendable {
    public enum State: String, Sendable, CaseIterable {
        case open
        case spent
        case expired
    }

    public var id: UUID
    public var email: String?
    public var note: String?
    public var createdBy: UUID
    public var createdAt: Date
    public var expiresAt: Date
    public var spentAt: Date?
    /// The account created with the invitation.
    public var spentBy: UUID?
    /// The series that the account joins, as `editor` or `viewer`.
    public var seriesID: UUID?
    public var role: String?
    public var state: State

    static let columns: Statement = """
        id, email::text, note, created_by, created_at, expires_at, spent_at, spent_by, series_id, role,
            CASE WHEN spent_at IS NOT NULL THEN 'spent' WHEN expires_at <= now() THEN 'expired' ELSE 'open' END
        """

    static func read(_ row: Row) throws -> Invitation {
        var columns = Columns(row)
        return Invitation(
            id: try columns.next(), email: try columns.next(), note: try columns.next(),
            createdBy: try columns.next(), createdAt: try columns.next(), expiresAt: try columns.next(),
            spentAt: try columns.next(), spentBy: try columns.next(),
            seriesID: try columns.next(), role: try columns.next(),
            state: State(rawValue: try columns.next()) ?? .expired)
    }
}

/// Invitations to sign up. Admins create and revoke them; each can be used once.
public struct Invitations: Sendable {
    let pool: Pool

    /// Creates an invitation, and mails its code if the draft names an address. The database stores only the hash of
    /// the code, so the code returned with a replay is not valid.
    ///
    /// - Parameter letters: The texts of the mail, in the preferred language if the inviting admin has chosen none.
    public func create(
        _ draft: InvitationDraft, by principal: Principal, once request: IdempotentRequest?,
        letters: LetterCatalogues,
        letter: @escaping @Sendable (_ code: String, LetterTexts) -> Letter,
        render: @escaping @Sendable (Invitation) throws -> [UInt8]
    ) async throws -> (response: IdempotentResponse, code: String) {
        // 26 characters that are easy to read out and type, with 130 random bits.
        let code = FormCode.make(26)
        let response = try await pool.once(request) { connection in
            try await principal.confirm(asAdmin: true, on: connection)
            let now = try await connection.query("SELECT clock_timestamp()").single().decode(Date.self)
            let end = try draft.expiry(now: now)
            let id = UUIDv7.make()
            if let seriesID = draft.seriesID {
                let series = try await connection.query(
                    "SELECT 1 FROM series WHERE id = \(seriesID) AND deleted_at IS NULL")
                if series.isEmpty { throw Problem([InvitationDraft.unknownSeries]) }
            }
            let rows = try await connection.query(
                """
                INSERT INTO invitation (id, hash, email, note, created_by, expires_at, series_id, role)
                VALUES (\(id), \(Secret.hash(code)), \(draft.email?.text), \(draft.note),
                    \(principal.account.id), \(end), \(draft.seriesID), \(draft.role?.rawValue))
                RETURNING \(fragment: Invitation.columns)
                """)
            if let email = draft.email {
                let texts = try await letters.texts(chosenBy: principal.account.id, on: connection)
                try await Outbox.enqueue(letter(code, texts), to: email, on: connection)
            }
            try await Audit.record("invitation.create", of: id, by: principal.account.id, on: connection)
            return try render(Invitation.read(rows.single()))
        }
        return (response, code)
    }

    /// Returns invitations, the newest first.
    public func list(after last: UUID? = nil, limit: Int) async throws -> [Invitation] {
        var statement: Statement = "SELECT \(fragment: Invitation.columns) FROM invitation"
        if let last { statement += " WHERE id < \(last)" }
        return try await pool.query(statement + "\nORDER BY id DESC LIMIT \(limit)").map(Invitation.read)
    }

    /// Deletes the invitation; an account created with it remains.
    public func revoke(_ id: UUID, by principal: Principal) async throws {
        try await pool.transaction { connection in
            try await principal.confirm(asAdmin: true, on: connection)
            let revoked = try await connection.execute("DELETE FROM invitation WHERE id = \(id)")
            guard revoked == 1 else { throw Problem(.notFound) }
            try await Audit.record("invitation.revoke", of: id, by: principal.account.id, on: connection)
        }
    }
}
