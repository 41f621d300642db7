import Foundation

public struct SessionRequest: Codable, Sendable, Equatable {
    public var email: String
    public var password: String

    public init(email: String, password: String) {
        self.email = email
        self.password = password
    }
}

/// Confirms a session with the password of its account.
public struct SessionConfirmation: Codable, Sendable, Equatable {
    public var password: String

    public init(password: String) {
        self.password = password
    }
}

/// A new session. The token is only in this response.
public struct Session: Codable, Sendable, Equatable {
    @Confidential public var token: String
    public var expiresAt: Date
    public var account: AccountBody

    public init(token: String, expiresAt: Date, account: AccountBody) {
        self.token = token
        self.expiresAt = expiresAt
        self.account = account
    }
}

/// The session that the caller's token belongs to.
public struct CurrentSession: Codable, Sendable, Equatable {
    public var expiresAt: Date
    public var account: AccountBody

    public init(expiresAt: Date, account: AccountBody) {
        self.expiresAt = expiresAt
        self.account = account
    }
}

public struct AccountBody: Codable, Sendable, Equatable {
    public var id: ResourceID
    public var email: String
    public var name: String
    /// `host` or `admin`.
    public var role: String

    public init(id: ResourceID, email: String, name: String, role: String) {
        self.id = id
        self.email = email
        self.name = name
        self.role = role
    }
}

/// One of an account's sessions, without its token.
public struct SessionSummary: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var createdAt: Date
    public var expiresAt: Date
    /// Whether the request uses this session.
    public var current: Bool
    /// The browser and system that began the session. Nil for other programs.
    @ExplicitNull public var device: String?

    public init(id: ResourceID, createdAt: Date, expiresAt: Date, current: Bool, device: String? = nil) {
        self.device = device
        self.id = id
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.current = current
    }
}
