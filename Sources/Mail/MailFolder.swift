import Domain
import Foundation
import Logging

/// Writes each mail to a file that only the service's user can read. Used if no sendmail is available.
///
/// The links in a mail give access to anyone who has them, so mails must not be in a log, which more people read and
/// which is kept for longer.
public struct MailFolder: MailTransport {
    /// Files are deleted after this time, in seconds, like the rows of the outbox.
    static let lifetime: TimeInterval = 7 * 86_400

    private let path: String
    private let logger: Logger

    /// - Parameter path: The folder, which is created with the first mail.
    public init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    public func send(_ message: MailMessage) throws(MailRefusal) {
        let file = "\(path)/\(message.id.lowercased).txt"
        let subject = EncodedWord.oneLine(message.letter.subject)
        var text = "To: \(message.recipient)\nSubject: \(subject)\n\n\(MailMessage.plain(message.letter.body))"
        if let attachment = message.letter.attachment {
            text += "\n[\(attachment.name), \(attachment.bytes.count) bytes, is not written here]\n"
        }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw MailRefusal("the folder \(path) cannot be created")
        }
        deleteOldFiles()
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw MailRefusal("the folder \(path) cannot be written to") }
        logger.notice("No sendmail is available; a mail was written to a file", metadata: ["file": "\(file)"])
    }

    private func deleteOldFiles() {
        let manager = FileManager.default
        let oldest = Date(timeIntervalSinceNow: -Self.lifetime)
        for name in (try? manager.contentsOfDirectory(atPath: path)) ?? [] where name.hasSuffix(".txt") {
            let file = "\(path)/\(name)"
            guard let written = (try? manager.attributesOfItem(atPath: file))?[.modificationDate] as? Date,
                written < oldest
            else { continue }
            try? manager.removeItem(atPath: file)
        }
    }
}
