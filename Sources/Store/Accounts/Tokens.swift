import Cryptography
import Domain
import Foundation
import Postgres

/// Opaque bearer tokens: 256 random bits, of which the database stores only the SHA-256.
public struct Tokens: Sendable {
    /// A session's lifetime, in seconds.
    static let sessionLifetime: TimeInterval = 30 * 86_400
    static let prefix = "aw_"

    let pool: Pool

    /// Creates a session; its token is returned only by this call.
    public func createSession(for account: Account) async throws -> (token: String, expiresAt: Date) {
        try await pool.withConnection { try await Self.insertSession(of: account.id, on: $0) }
    }

    /// Creates a session after the password with this hash was verified; returns nil when the account was disabled or
    /// its password changed since the hash was read. Disabling the account or changing the password at the same time
    /// ends this session too.
    public func signIn(_ account: Account, passwordHash: String) async throws -> (token: String, expiresAt: Date)? {
        try await pool.transaction { connection in
            let rows = try await connection.query(
                """
                SELECT 1 FROM account a JOIN credential c ON c.account_id = a.id
                WHERE a.id = \(account.id) AND a.disabled_at IS NULL AND c.password_hash = \(passwordHash)
                FOR SHARE OF a, c
                """)
            guard !rows.isEmpty else { return nil }
            return try await Self.insertSession(of: account.id, on: connection)
        }
    }

    private static func insertSession(
        of accountID: UUID, on connection: Connection
    ) async throws -> (token: String, expiresAt: Date) {
        let token = prefix + Base64URL.encode(RandomBytes.make(32))
        let scopes = Principal.Scope.allCases.map(\.rawValue)
        let rows = try await connection.query(
            """
            INSERT INTO token (id, account_id, kind, scopes, hash, expires_at)
            VALUES (\(UUIDv7.make()), \(accountID), 'session', \(scopes), \(hash(token)),
                now() + make_interval(secs => \(sessionLifetime)))
            RETURNING expires_at
            """)
        return (token, try rows.single().decode(Date.self))
    }

    /// Returns the principal that the token authenticates; nil when the token is unknown, expired, revoked or its
    /// account disabled. Writes nothing.
    public func find(_ token: String) async throws -> Principal? {
        guard token.hasPrefix(Self.prefix), token.utf8.count <= 100 else { return nil }
        let rows = try await pool.query(
            Principal.select + " AND t.hash = \(Self.hash(token))")
        return try rows.first.map(Principal.read)
    }

    public func revoke(_ id: UUID) async throws {
        try await pool.execute("UPDATE token SET revoked_at = now() WHERE id = \(id) AND revoked_at IS NULL")
    }

    static func revokeAll(of accountID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            "UPDATE token SET revoked_at = now() WHERE account_id = \(accountID) AND revoked_at IS NULL")
    }

    static func hash(_ token: String) -> [UInt8] {
        SHA256.hash(Array(token.utf8))
    }
}

extension Principal {
    /// Selects the principals of valid tokens `token t`; a further condition may follow.
    static let select: Statement = """
        SELECT a.id, a.email::text, a.name, a.role, a.disabled_at, a.created_at, t.id, t.scopes, t.expires_at, t.kind
        FROM token t JOIN account a ON a.id = t.account_id
        WHERE t.revoked_at IS NULL AND t.expires_at > clock_timestamp() AND a.disabled_at IS NULL
        """

    static func read(_ row: Row) throws -> Principal {
        let scopes: [String] = try row.decode([String].self, at: 7)
        return Principal(
            account: try Accounts.account(row), tokenID: try row.decode(UUID.self, at: 6),
            scopes: Set(scopes.compactMap(Principal.Scope.init)), expiresAt: try row.decode(Date.self, at: 8),
            isSession: try row.decode(String.self, at: 9) == "session")
    }
}
