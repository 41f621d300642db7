/// A request for an account. The service mails a link with which the address is confirmed.
public struct SignUpRequest: Codable, Sendable, Equatable {
    public var email: String
    public var name: String
    /// The code of an invitation. Required unless anyone may create an account.
    public var invitation: String?

    public init(email: String, name: String, invitation: String? = nil) {
        self.email = email
        self.name = name
        self.invitation = invitation
    }
}

/// The token from a verification mail, or the code of an invitation for one address, and the password for the account.
public struct VerificationRequest: Codable, Sendable, Equatable {
    public var token: String
    /// At least 10 characters.
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
    /// At least 10 characters.
    public var password: String

    public init(password: String) {
        self.password = password
    }
}

/// A request to delete the caller's account.
public struct AccountDeletionRequest: Codable, Sendable, Equatable {
    /// The address of the account that receives the series. If nil, the series move to the trash.
    public var heir: String?

    public init(heir: String? = nil) {
        self.heir = heir
    }
}
