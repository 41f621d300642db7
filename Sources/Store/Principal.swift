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

    public var isAdmin: Bool { account.role == .admin }
}
