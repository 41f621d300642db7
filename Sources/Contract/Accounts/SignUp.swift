/// What makes an account, once the mail that follows has been answered.
public struct SignUpRequest: Codable, Sendable, Equatable {
    public var email: String
    public var name: String
    /// The code of an invitation, where one is needed.
    public var invitation: String?

    public init(email: String, name: String, invitation: String? = nil) {
        self.email = email
        self.name = name
        self.invitation = invitation
    }
}

/// The token of a mail that verifies an address, and the password of the account.
public struct VerificationRequest: Codable, Sendable, Equatable {
    public var token: String
    /// 10 characters at least.
    public var password: String

    public init(token: String, password: String) {
        self.token = token
        self.password = password
    }
}

public struct PasswordResetRequest: Codable, Sendable, Equatable {
    public var email: String

    public init(email: String) {
        self.email = email
    }
}

public struct NewPassword: Codable, Sendable, Equatable {
    /// 10 characters at least.
    public var password: String

    public init(password: String) {
        self.password = password
    }
}

/// How an account goes: to its heir, by address, go its series; without one they go to the trash.
public struct Departure: Codable, Sendable, Equatable {
    public var heir: String?

    public init(heir: String? = nil) {
        self.heir = heir
    }
}
