/// Delivers mails to a sendmail program or to a folder.
public protocol MailTransport: Sendable {
    /// Returns once the mail has been accepted.
    func send(_ message: MailMessage) async throws(MailRefusal)
}

/// A rejected mail. A later attempt may succeed.
public struct MailRefusal: Error, Sendable, Equatable {
    /// One line without any content of the mail and without its recipient, so that it can be logged.
    public var reason: String
    /// The first line of what the transport printed. It may name the recipient, so it is never logged.
    public var output: String

    public init(_ reason: String, output: String = "") {
        self.reason = reason
        self.output = output
    }

    /// One line with the reason and the output, for the outbox.
    public var detail: String { output.isEmpty ? reason : "\(reason): \(output)" }
}
