/// Mail with personal links to the people on a meeting's list.
public struct FormInvitationRequest: Codable, Sendable, Equatable {
    /// Only to those who have not answered.
    public var remind: Bool?

    public init(remind: Bool? = nil) {
        self.remind = remind
    }
}

public struct FormInvitations: Codable, Sendable, Equatable {
    public var mailed: Int
    /// Without an address, or, of a reminder, answered already.
    public var skipped: Int

    public init(mailed: Int, skipped: Int) {
        self.mailed = mailed
        self.skipped = skipped
    }
}

/// One person's own way to a form.
public struct PersonalLink: Codable, Sendable, Equatable {
    @Confidential public var url: String
    /// What `Authorization: Respondent …` takes.
    @Confidential public var token: String

    public init(url: String, token: String) {
        self.url = url
        self.token = token
    }
}
