/// Somebody who works on a series; its owner is one of them.
public struct CoHost: Codable, Sendable, Equatable, Identifiable {
    public var accountId: ResourceID
    public var email: String
    public var name: String
    /// `owner`, `editor` or `viewer`.
    public var role: String

    public init(accountId: ResourceID, email: String, name: String, role: String) {
        self.accountId = accountId
        self.email = email
        self.name = name
        self.role = role
    }

    public var id: ResourceID { accountId }
}

public struct CoHostRequest: Codable, Sendable, Equatable {
    /// Of an account.
    public var email: String
    /// `editor` or `viewer`.
    public var role: String

    public init(email: String, role: String) {
        self.email = email
        self.role = role
    }
}

public struct CoHostAddress: Codable, Sendable, Equatable {
    public var email: String

    public init(email: String) {
        self.email = email
    }
}

/// To whom a series goes.
public struct TransferRequest: Codable, Sendable, Equatable {
    public var email: String
    /// Whether its rounds may meet the new owner's own meetings.
    public var allowOverlap: Bool?

    public init(email: String, allowOverlap: Bool? = nil) {
        self.email = email
        self.allowOverlap = allowOverlap
    }
}
