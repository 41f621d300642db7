import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON

/// Opaque bearer tokens: 256 random bits, of which the database stores only the SHA-256.
public struct Tokens: Sendable {
    /// A session ends this long after it began, in seconds.
    static let sessionLifetime: TimeInterval = 30 * 86_400
    /// A session ends this long after its last use, in seconds.
    static let idleLifetime: TimeInterval = 14 * 86_400
    /// A session is extended only if it gains more than this number of seconds, so that few requests write to the
    /// database.
    private static let renewalStep: TimeInterval = 3_600
    static let prefix = "aw_"

    let pool: Pool
    private let reads = GroupedReads<String, Principal?>()

    init(pool: Pool) { self.pool = pool }

    /// Creates a session. Its token is returned only by this call.
    public func createSession(for account: Account) async throws -> (token: String, expiresAt: Date) {
        try await pool.withConnection { try await Self.insertSession(of: account.id, on: $0) }
    }

    /// Creates a session after the password with this hash was verified. Returns nil if the password has expired, or if
    /// the account was disabled or its password changed since the hash was read. If such a change happens concurrently,
    /// it ends this session too.
    ///
    /// - Parameter device: The browser and system; nil for other programs.
    public func signIn(
        _ account: Account, passwordHash: String, device: String? = nil
    ) async throws -> (token: String, expiresAt: Date)? {
        try await pool.transaction { connection in
            let rows = try await connection.query(
                """
                SELECT 1 FROM account a JOIN credential c ON c.account_id = a.id
                WHERE a.id = \(account.id) AND a.disabled_at IS NULL AND c.password_hash = \(passwordHash)
                    AND (c.expires_at IS NULL OR c.expires_at > clock_timestamp())
                FOR SHARE OF a, c
                """)
            guard !rows.isEmpty else { return nil }
            try await Audit.record("account.sign-in", of: account.id, by: account.id, on: connection)
            return try await Self.insertSession(of: account.id, device: device, on: connection)
        }
    }

    private static func insertSession(
        of accountID: UUID, device: String? = nil, on connection: Connection
    ) async throws -> (token: String, expiresAt: Date) {
        let token = makeSessionToken()
        let scopes = Principal.Scope.allCases.map(\.rawValue)
        let rows = try await connection.query(
            """
            INSERT INTO token (id, account_id, kind, scopes, hash, expires_at, device)
            VALUES (\(UUIDv7.make()), \(accountID), 'session', \(scopes), \(Secret.hash(token)),
                now() + make_interval(secs => \(idleLifetime)), \(device))
            RETURNING expires_at
            """)
        return (token, try rows.single().decode(Date.self))
    }

    /// - Parameter lineage: The lineage of the token that this one replaces.
    private static func makeSessionToken(lineage: String = Base64URL.encode(RandomBytes.make(16))) -> String {
        "\(prefix)\(Secret.make()).\(lineage)"
    }

    /// The part of a session's token that its replacements keep. HTML forms are bound to it, so that a page that is
    /// open stays usable when the token is replaced. It grants no access, but only the session's browser has it.
    public static func lineage(of token: String) -> String { token.split(separator: ".").last.map(String.init) ?? "" }

    /// Records that the password with this hash was just checked for the session, and replaces the session's token. The
    /// previous token ends after ten seconds. Throws 401 if the session has ended, and 422 if the password was changed
    /// after it was checked.
    ///
    /// - Parameter token: The session's current token, whose lineage the new token keeps.
    public func confirm(
        _ principal: Principal, token: String, passwordHash: String
    ) async throws -> (token: String, expiresAt: Date) {
        let replacement = Self.makeSessionToken(lineage: Self.lineage(of: token))
        let expiresAt = try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            let current = try await connection.query(
                """
                SELECT 1 FROM credential
                WHERE account_id = \(principal.account.id) AND password_hash = \(passwordHash) FOR SHARE
                """)
            if current.isEmpty { throw Problem.wrongPassword(at: "/password") }
            return try await connection.query(
                """
                UPDATE token SET confirmed_at = clock_timestamp(), hash = \(Secret.hash(replacement)),
                    previous_hash = hash, replaced_at = clock_timestamp()
                WHERE id = \(principal.tokenID) RETURNING expires_at
                """
            ).single().decode(Date.self)
        }
        return (replacement, expiresAt)
    }

    /// Returns the principal that the token authenticates; nil when the token is unknown, expired or revoked, or its
    /// account is disabled. Using a session extends it.
    public func find(_ token: String) async throws -> Principal? {
        guard token.hasPrefix(Self.prefix), token.utf8.count <= 100 else { return nil }
        return try await reads.value(for: token) { [pool] in
            let hash = Secret.hash(token)
            // A replaced token is not confirmed: its holder might not be the person who knew the password.
            let rows = try await pool.query(
                Principal.select(confirmedIf: "t.hash = \(hash)")
                    + """
                     AND (t.hash = \(hash) OR t.previous_hash = \(hash)
                        AND t.replaced_at > clock_timestamp() - interval '10 seconds')
                    """)
            guard let principal = try rows.first.map(Principal.read) else { return nil }
            return await Self.renew(principal, in: pool)
        }
    }

    /// Extends a session to its idle lifetime from now, within its total lifetime, if that gains more than
    /// `renewalStep`.
    private static func renew(_ principal: Principal, in pool: Pool) async -> Principal {
        guard let end = principal.renewedEnd, end.timeIntervalSince(principal.expiresAt) > renewalStep else {
            return principal
        }
        var renewed = principal
        do {
            try await pool.execute("UPDATE token SET expires_at = \(end) WHERE id = \(principal.tokenID)")
            renewed.expiresAt = end
        } catch {
            // Reading has to work on a database that cannot write, for example because its disk is full.
        }
        return renewed
    }

    public func revoke(_ id: UUID) async throws {
        try await pool.execute("UPDATE token SET revoked_at = now() WHERE id = \(id) AND revoked_at IS NULL")
    }

    static func revokeAll(of accountID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            "UPDATE token SET revoked_at = now() WHERE account_id = \(accountID) AND revoked_at IS NULL")
    }
}

/// A session or an API token as its owner sees it, without the secret.
public struct TokenFacts: Sendable {
    public var id: UUID
    /// The name of an API token; nil for a session.
    public var name: String?
    public var scopes: [String]
    public var createdAt: Date
    public var expiresAt: Date
    /// The browser and system that began a session, if they are known.
    public var device: String?
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
            SELECT id, name, scopes, created_at, expires_at, device FROM token
            WHERE account_id = \(accountID) AND kind = \(kind.rawValue) AND revoked_at IS NULL AND expires_at > now()
            """
        if let last { statement += " AND id < \(last)" }
        return try await pool.query(statement + "\nORDER BY id DESC LIMIT \(limit)").map(Self.facts)
    }

    /// Creates an API token. The database stores only the hash of its secret, so the secret returned with a replay is
    /// not valid.
    ///
    /// Throws 422 when the draft's expiry is invalid by the database's clock, or when its scopes exceed the caller's.
    public func create(
        _ draft: TokenDraft, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (TokenFacts) throws -> [UInt8]
    ) async throws -> (response: IdempotentResponse, secret: String) {
        let secret = Self.prefix + Secret.make()
        let response = try await pool.once(request) { connection in
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
                VALUES (\(id), \(principal.account.id), 'api', \(draft.name), \(draft.scopes), \(Secret.hash(secret)),
                    \(draft.expiresAt))
                RETURNING id, name, scopes, created_at, expires_at, device
                """)
            let scopes = JSONValue.array(draft.scopes.map { .string($0) })
            try await Audit.record(
                "token.create", of: id, by: principal.account.id, detail: .object([.init("scopes", scopes)]),
                on: connection)
            return try render(Self.facts(rows.single()))
        }
        return (response, secret)
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
        let (id, name, scopes, createdAt, expiresAt, device) = try row.decode(
            UUID.self, String?.self, [String].self, Date.self, Date.self, String?.self)
        return TokenFacts(
            id: id, name: name, scopes: scopes, createdAt: createdAt, expiresAt: expiresAt, device: device)
    }
}
