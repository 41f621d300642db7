import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON

/// A session or an API token as its owner sees it: without the secret.
public struct TokenFacts: Sendable {
    public var id: UUID
    /// The name of an API token; nil for a session.
    public var name: String?
    public var scopes: [String]
    public var createdAt: Date
    public var expiresAt: Date
}

extension Tokens {
    public enum Kind: String, Sendable {
        case session
        case api
    }

    /// Returns the valid tokens, the newest first.
    public func list(
        _ kind: Kind, of accountID: UUID, after last: UUID? = nil, limit: Int
    ) async throws -> [TokenFacts] {
        var statement: Statement = """
            SELECT id, name, scopes, created_at, expires_at FROM token
            WHERE account_id = \(accountID) AND kind = \(kind.rawValue) AND revoked_at IS NULL AND expires_at > now()
            """
        if let last { statement += " AND id < \(last)" }
        return try await pool.query(statement + "\nORDER BY id DESC LIMIT \(limit)").map(Self.facts)
    }

    /// Creates an API token. Its secret is returned only by this call, not to a repeated request.
    ///
    /// Throws 422 when the draft's expiry does not suit the database's clock or its scopes exceed the caller's.
    public func create(
        _ draft: TokenDraft, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (TokenFacts) throws -> [UInt8]
    ) async throws -> (made: Idempotent, secret: String) {
        let secret = Self.prefix + Base64URL.encode(RandomBytes.make(32))
        let made = try await pool.once(request) { connection in
            let creator = try await principal.confirm(on: connection)
            var allowed = Set(creator.scopes.map(\.rawValue))
            if !creator.isAdmin { allowed.remove(Principal.Scope.admin.rawValue) }
            let now = try await connection.query("SELECT clock_timestamp()").single().decode(Date.self)
            let faults = draft.faults(now: now, allowed: allowed)
            guard faults.isEmpty else { throw Problem(faults) }
            let id = UUIDv7.make()
            let rows = try await connection.query(
                """
                INSERT INTO token (id, account_id, kind, name, scopes, hash, expires_at)
                VALUES (\(id), \(principal.account.id), 'api', \(draft.name), \(draft.scopes), \(Self.hash(secret)),
                    \(draft.expiresAt))
                RETURNING id, name, scopes, created_at, expires_at
                """)
            let scopes = JSONValue.array(draft.scopes.map { .string($0) })
            try await Audit.record(
                "token.create", of: id, by: principal.account.id, detail: .object([.init("scopes", scopes)]),
                on: connection)
            return try render(Self.facts(rows.single()))
        }
        return (made, secret)
    }

    /// Revokes one of the account's own tokens; throws 404 for any other, and for one that is no longer valid.
    public func revoke(_ id: UUID, _ kind: Kind, by principal: Principal) async throws {
        let accountID = principal.account.id
        try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            let revoked = try await connection.execute(
                """
                UPDATE token SET revoked_at = now() WHERE id = \(id) AND account_id = \(accountID)
                    AND kind = \(kind.rawValue) AND revoked_at IS NULL AND expires_at > now()
                """)
            guard revoked == 1 else { throw Problem(.notFound) }
            try await Audit.record(
                kind == .api ? "token.revoke" : "session.revoke", of: id, by: accountID, on: connection)
        }
    }

    private static func facts(_ row: Row) throws -> TokenFacts {
        let (id, name, scopes, createdAt, expiresAt) = try row.decode(
            UUID.self, String?.self, [String].self, Date.self, Date.self)
        return TokenFacts(id: id, name: name, scopes: scopes, createdAt: createdAt, expiresAt: expiresAt)
    }
}
