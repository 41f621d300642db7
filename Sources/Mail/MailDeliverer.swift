import Domain
import Logging
import ServiceLifecycle
import Store

/// Sends the mails of the outbox one after another until a graceful shutdown, which lets the current one finish.
public struct MailDeliverer: Service {
    private let store: Store
    private let transport: any MailTransport
    private let sender: EmailAddress
    private let pause: Duration
    private let logger: Logger

    /// - Parameter pause: The pause when no mail is due.
    public init(
        store: Store, transport: any MailTransport, sender: EmailAddress, pause: Duration = .seconds(1), logger: Logger
    ) {
        self.store = store
        self.transport = transport
        self.sender = sender
        self.pause = pause
        self.logger = logger
    }

    public func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            var wasDue = false
            do {
                wasDue = try await deliverNext()
            } catch {
                logger.warning("Reading or updating the outbox failed", metadata: ["error": "\(error)"])
            }
            if !wasDue { await waitUntilDue() }
        }
    }

    /// Sends the mail that has been due for the longest time. Returns false if none is due.
    func deliverNext() async throws -> Bool {
        guard let mail = try await store.outbox.claim() else { return false }
        let metadata: Logger.Metadata = ["mail": "\(mail.id)", "kind": "\(mail.letter.kind)", "tries": "\(mail.tries)"]
        let message: MailMessage
        do {
            guard let recipient = EmailAddress(mail.recipient) else { throw MailMessage.NotMailable() }
            message = try MailMessage(mail.letter, from: sender, to: recipient, id: mail.id, date: mail.createdAt)
        } catch {
            try await store.outbox.failed(mail, reason: "the address cannot be mailed", isFinal: true)
            return true
        }
        do throws(MailRefusal) {
            try await transport.send(message)
        } catch {
            logger.warning("Sending a mail failed", metadata: metadata.merging(["reason": "\(error.reason)"]) { $1 })
            try await store.outbox.failed(mail, reason: error.detail, isFinal: error.isPermanent)
            return true
        }
        try await store.outbox.succeeded(mail)
        logger.debug("Mail sent", metadata: metadata)
        return true
    }

    /// Returns when a mail is due, or at a shutdown.
    private func waitUntilDue() async {
        try? await cancelWhenGracefulShutdown {
            repeat { try await Task.sleep(for: pause) } while !(await store.dueWork.isDue(.mail, age: pause))
        }
    }
}
