import Domain
import Logging

/// Delivers mails to a sendmail program or to the log.
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

/// Writes mails to the log, including the links that they contain. Used if no sendmail is available.
public struct LogMailTransport: MailTransport {
    private let logger: Logger

    public init(logger: Logger) { self.logger = logger }

    public func send(_ message: MailMessage) {
        let lines = message.letter.body.split(whereSeparator: \.isNewline)
        // At any log level, because the mail is stored nowhere else.
        logger.log(
            level: max(.notice, logger.logLevel),
            "No sendmail is available; this mail was only written to the log",
            metadata: [
                "to": "\(message.recipient)", "subject": "\(EncodedWord.oneLine(message.letter.subject))",
                "text": "\(EncodedWord.oneLine(lines.joined(separator: " ")))",
            ])
    }
}
