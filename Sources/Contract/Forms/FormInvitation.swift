/// A request to mail personal links to the people on a meeting's attendee list.
public struct FormInvitationRequest: Codable, Sendable, Equatable {
    /// If true, only people who have not answered get a mail. For an anonymous form, everyone gets one.
    public var remind: Bool?

    public init(remind: Bool? = nil) {
        self.remind = remind
    }
}

public struct FormInvitations: Codable, Sendable, Equatable {
    public var mailed: Int
    /// The number of people without an address. For a reminder of a form that is not anonymous, it includes people who
    /// have answered.
    public var skipped: Int

    public init(mailed: Int, skipped: Int) {
        self.mailed = mailed
        self.skipped = skipped
    }
}

/// One attendee's personal link to a form.
public struct PersonalLink: Codable, Sendable, Equatable {
    @Confidential public var url: String
    /// The credential for `Authorization: Respondent …`.
    @Confidential public var token: String

    public init(url: String, token: String) {
        self.url = url
        self.token = token
    }
}
