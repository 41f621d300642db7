import Domain
import Logging

/// Where there is no sendmail: the mail stands in the log, with the links that it holds.
public struct LogCarrier: MailCarrier {
    private let logger: Logger

    public init(logger: Logger) { self.logger = logger }

    public func carry(_ message: MailMessage) {
        let lines = message.letter.body.split(whereSeparator: \.isNewline)
        // Whatever the level is: the mail is nowhere else.
        logger.log(
            level: max(.notice, logger.logLevel),
            "There is no sendmail, so this mail is only here",
            metadata: [
                "to": "\(message.recipient)", "subject": "\(EncodedWord.oneLine(message.letter.subject))",
                "text": "\(EncodedWord.oneLine(lines.joined(separator: " ")))",
            ])
    }
}
