import Domain
import Logging
import ServiceLifecycle
import Store

/// Sends the mails of the outbox until a graceful shutdown, which lets the current ones finish. Mails whose text is stored
/// are sent one after another; those that have to be written first, which can take long, beside them.
public struct MailDeliverer: Service {
    /// Writes a mail that has a source, at the moment when it is sent. Returns nil if it is not to be sent any more.
    public typealias Writer = @Sendable (Outbox.Source) async throws -> Letter?

    private let store: Store
    private let transport: any MailTransport
    private let sender: EmailAddress
    private let pause: Duration
    private let logger: Logger
    private let write: Writer

    /// - Parameters:
    ///   - pause: The pause when no mail is due.
    ///   - write: Writes mails whose text is not stored. By default, they are discarded.
    public init(
        store: Store, transport: any MailTransport, sender: EmailAddress, pause: Duration = .seconds(1),
        logger: Logger, write: @escaping Writer = { _ in nil }
    ) {
        self.store = store
        self.transport = transport
        self.sender = sender
        self.pause = pause
        self.logger = logger
        self.write = write
    }

    public func run() async throws {
        async let written: Void = deliver(.unwritten)
        await deliver(.stored)
        await written
    }

    private func deliver(_ part: Outbox.Part) async {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            var wasDue = false
            do {
                wasDue = try await deliverNext(part)
            } catch {
                logger.warning("Reading or updating the outbox failed", metadata: ["error": "\(error)"])
            }
            if !wasDue { await waitUntilDue() }
        }
    }

    /// Sends the mail that has been due for the longest time. Returns false if none is due.
    func deliverNext(_ part: Outbox.Part = .all) async throws -> Bool {
        guard var mail = try await store.outbox.claim(part) else { return false }
        let metadata: Logger.Metadata = ["mail": "\(mail.id)", "kind": "\(mail.letter.kind)", "tries": "\(mail.tries)"]
        if let source = mail.source {
            guard let letter = try await letter(of: source, for: mail, metadata) else { return true }
            mail.letter = letter
        }
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

    /// Writes a mail. Returns nil if it is not to be sent now: it was then discarded, or is tried again later.
    private func letter(
        of source: Outbox.Source, for mail: Outbox.Mail, _ metadata: Logger.Metadata
    ) async throws -> Letter? {
        do {
            if let letter = try await write(source) { return letter }
            try await store.outbox.discard(mail)
            logger.debug("Mail discarded", metadata: metadata)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let reason = (error as? Problem)?.code.rawValue ?? "\(type(of: error))"
            logger.warning("Writing a mail failed", metadata: metadata.merging(["reason": "\(reason)"]) { $1 })
            try await store.outbox.failed(mail, reason: "writing it failed: \(reason)")
        }
        return nil
    }

    /// Returns when a mail is due, or at a shutdown.
    private func waitUntilDue() async {
        try? await cancelWhenGracefulShutdown {
            repeat { try await Task.sleep(for: pause) } while !(await store.dueWork.isDue(.mail, age: pause))
        }
    }
}
