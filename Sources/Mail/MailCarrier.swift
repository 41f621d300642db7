/// What takes a mail away: a sendmail, or the log.
public protocol MailCarrier: Sendable {
    /// Returns once the mail is no longer ours to keep.
    func carry(_ message: MailMessage) async throws(MailRefusal)
}

/// A mail that was not taken; it may be later.
public struct MailRefusal: Error, Sendable, Equatable {
    /// One line without anything of the mail's text.
    public var reason: String

    public init(_ reason: String) { self.reason = reason }
}
