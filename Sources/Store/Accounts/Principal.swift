import Domain
import Foundation
import Postgres

/// The account that a bearer token authenticates, and what the token permits.
public struct Principal: Sendable {
    /// A permission of a token; a session has all of them.
    public enum Scope: String, Sendable, CaseIterable {
        case readMeetings = "meetings:read"
        case writeMeetings = "meetings:write"
        case readResults = "results:read"
        case readExports = "export:read"
        case admin
    }

    public var account: Account
    public var tokenID: UUID
    public var scopes: Set<Scope>
    public var expiresAt: Date
    /// Whether this is a signed-in session. Otherwise it is an API token, which can't create tokens or end an account.
    public var isSession = false
    /// Whether this is a session whose password was checked within the last 15 minutes, at the sign-in or since.
    public var isRecentlyConfirmed = false
    /// The account's time zone, an IANA name.
    public var timeZone: String?
    /// The expiry that a session gets when it is used now; nil for an API token.
    var renewedEnd: Date?

    /// Whether the caller acts as an admin. An admin's token without the scope `admin` permits only what a host's token
    /// does.
    public var isAdmin: Bool { account.role == .admin && scopes.contains(.admin) }

    /// The operator, who runs commands on the service's machine and may read everything. No action can be recorded for
    /// this principal, because it has no account.
    public static func ofOperator(at now: Date = Date()) -> Principal {
        let account = Account(
            id: UUIDv7.make(), email: "", name: "", role: .admin, disabledAt: nil, createdAt: now)
        return Principal(
            account: account, tokenID: account.id, scopes: [.admin, .readMeetings, .readResults], expiresAt: now)
    }

    /// Selects the principals of valid tokens (`token t`). Further conditions can be appended.
    static let select = select(confirmedIf: "true")

    /// - Parameter condition: The condition under which a session can count as recently confirmed.
    static func select(confirmedIf condition: Statement) -> Statement {
        """
        SELECT a.id, a.email::text, a.name, a.role, a.disabled_at, a.created_at, t.id, t.scopes, t.expires_at, t.kind,
            a.time_zone,
            t.kind = 'session' AND \(fragment: condition) AND t.confirmed_at > clock_timestamp() - interval '15 minutes',
            CASE t.kind WHEN 'session' THEN least(
                t.created_at + make_interval(secs => \(Tokens.sessionLifetime)),
                clock_timestamp() + make_interval(secs => \(Tokens.idleLifetime))) END
        FROM token t JOIN account a ON a.id = t.account_id
        WHERE t.revoked_at IS NULL AND t.expires_at > clock_timestamp() AND a.disabled_at IS NULL
        """
    }

    /// The rights of an account, for a command that an operator runs in its name.
    public static func acting(as account: Account) -> Principal {
        Principal(
            account: account, tokenID: UUID(), scopes: Set(Scope.allCases), expiresAt: .distantFuture)
    }

    static func read(_ row: Row) throws -> Principal {
        let scopes: [String] = try row.decode([String].self, at: 7)
        return Principal(
            account: try Accounts.account(row), tokenID: try row.decode(UUID.self, at: 6),
            scopes: Set(scopes.compactMap(Principal.Scope.init)), expiresAt: try row.decode(Date.self, at: 8),
            isSession: try row.decode(String.self, at: 9) == "session",
            isRecentlyConfirmed: try row.decode(Bool.self, at: 11), timeZone: try row.decode(String?.self, at: 10),
            renewedEnd: try row.decode(Date?.self, at: 12))
    }

    /// Checks the caller again in the action's transaction, and locks the account and token until that transaction
    /// ends. The body of a request may arrive long after its head, and in the meantime the account may have been
    /// disabled or demoted, or the token revoked.
    ///
    /// Call it before locking any account, except those locked by `Accounts.lockAdmins`. Returns the caller with the
    /// current role. Throws 401 if the account or the token is no longer valid, and 403 if an admin is required and the
    /// caller is not one.
    @discardableResult
    func confirm(asAdmin: Bool = false, on connection: Connection) async throws -> Principal {
        let accounts = try await connection.query(
            "SELECT role FROM account WHERE id = \(account.id) AND disabled_at IS NULL FOR NO KEY UPDATE")
        // A separate statement sees revocations that were committed while the first one waited for the lock on the
        // account.
        let tokens = try await connection.query(
            """
            SELECT 1 FROM token WHERE id = \(tokenID) AND revoked_at IS NULL AND expires_at > clock_timestamp() FOR SHARE
            """)
        guard let row = accounts.first, !tokens.isEmpty else {
            throw Problem(.unauthorized, "The token is unknown, expired or revoked.")
        }
        var confirmed = self
        confirmed.account.role = Account.Role(rawValue: try row.decode(String.self)) ?? .host
        if asAdmin, !confirmed.isAdmin { throw Problem(.forbidden, "Only admins may do this.") }
        return confirmed
    }
}
