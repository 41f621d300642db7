import Foundation

/// The account that a bearer token authenticates, and what it may do.
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

    /// Whether the caller acts as an admin. An admin's token without the scope `admin` can do only what a host's can.
    public var isAdmin: Bool { account.role == .admin && scopes.contains(.admin) }
}
