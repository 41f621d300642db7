/// An account with a role in a series, the owner included.
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
    /// The address of an account.
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

/// A request to transfer a series to another owner.
public struct TransferRequest: Codable, Sendable, Equatable {
    public var email: String
    /// Whether the rounds may overlap the new owner's meetings.
    public var allowOverlap: Bool?

    public init(email: String, allowOverlap: Bool? = nil) {
        self.email = email
        self.allowOverlap = allowOverlap
    }
}
