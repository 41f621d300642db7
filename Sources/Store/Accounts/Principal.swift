import Foundation

/// Who a bearer token speaks for, and what it may do.
public struct Principal: Sendable {
    /// What a token is good for; a session has all of them.
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
    /// Whether somebody signed in for it; else it is an API token, which cannot make others or end an account.
    public var isSession = false

    /// An admin's token without the scope `admin` can do what a host's can.
    public var isAdmin: Bool { account.role == .admin && scopes.contains(.admin) }
}
