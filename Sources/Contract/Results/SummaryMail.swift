/// Who would get the summary of a meeting's results by mail.
public struct SummaryRecipients: Codable, Sendable, Equatable {
    /// The number of people who would get a mail, without the sender.
    public var recipients: Int
    /// The number of people on the list without an address.
    public var withoutAddress: Int

    public init(recipients: Int, withoutAddress: Int) {
        self.recipients = recipients
        self.withoutAddress = withoutAddress
    }
}

/// The mails with the summary of a meeting's results.
public struct SummaryMailing: Codable, Sendable, Equatable {
    public var mailed: Int
    /// The number of people on the list without an address.
    public var skipped: Int

    public init(mailed: Int, skipped: Int) {
        self.mailed = mailed
        self.skipped = skipped
    }
}
