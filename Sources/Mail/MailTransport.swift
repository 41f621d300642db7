/// Delivers mails to an SMTP server, a sendmail program or a folder.
public protocol MailTransport: Sendable {
    /// Returns once the mail has been accepted.
    func send(_ message: MailMessage) async throws(MailRefusal)
}

/// A rejected mail.
public struct MailRefusal: Error, Sendable, Equatable {
    /// One line without any content of the mail and without its recipient, so that it can be logged.
    public var reason: String
    /// The first line of what the transport printed. It may name the recipient, so it is never logged.
    public var output: String

    /// Whether no later attempt can succeed, because the recipient's address is wrong.
    public var isPermanent: Bool

    public init(_ reason: String, output: String = "", isPermanent: Bool = false) {
        self.reason = reason
        self.output = output
        self.isPermanent = isPermanent
    }

    /// One line with the reason and the output, for the outbox.
    public var detail: String { output.isEmpty ? reason : "\(reason): \(output)" }
}
