/// Hands mails on: to a sendmail, or to the log.
public protocol MailCarrier: Sendable {
    /// Returns once the mail has been accepted.
    func carry(_ message: MailMessage) async throws(MailRefusal)
}

/// A mail was refused; a later try may succeed.
public struct MailRefusal: Error, Sendable, Equatable {
    /// One line that quotes nothing of the mail.
    public var reason: String

    public init(_ reason: String) { self.reason = reason }
}
