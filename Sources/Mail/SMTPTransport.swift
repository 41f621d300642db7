import Domain

/// Delivers mails to an SMTP server (RFC 5321), one connection for each mail.
public struct SMTPTransport: MailTransport {
    private let server: SMTPServer
    private let password: String?
    private let authorities: String?
    private let timeout: Duration

    /// - Parameters:
    ///   - password: The password of the server's user.
    ///   - authorities: A file with certificates that are trusted in place of the system's.
    ///   - timeout: The time after which a delivery is given up and the mail is retried.
    public init(
        _ server: SMTPServer, password: String?, authorities: String? = nil, timeout: Duration = .seconds(60)
    ) {
        self.server = server
        self.password = password
        self.authorities = authorities
        self.timeout = timeout
    }

    public func send(_ message: MailMessage) async throws(MailRefusal) {
        // Lines end in CRLF (RFC 5321, section 2.3.8). libcurl adds the dots of section 4.5.2.
        let text = message.text
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + text.utf8.count / 64)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\r")) }
            bytes.append(byte)
        }
        try await perform(
            SMTPExchange.Envelope(sender: message.sender, recipient: message.recipient, bytes: bytes),
            from: message.sender)
    }

    /// Connects, encrypts and authenticates as for a mail, and sends none.
    ///
    /// - Parameter sender: The sender of mails. The client introduces itself with the domain of this address.
    public func check(from sender: EmailAddress) async throws(MailRefusal) {
        try await perform(nil, from: sender)
    }

    private func perform(_ envelope: SMTPExchange.Envelope?, from sender: EmailAddress) async throws(MailRefusal) {
        let exchange = SMTPExchange(
            server: server, password: password, authorities: authorities, timeout: timeout,
            clientName: sender.text.split(separator: "@").last.map(String.init) ?? "localhost", envelope: envelope)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.start { continuation.resume(returning: $0) }
            }
        } onCancel: {
            exchange.cancel()
        }
        try result.get()
    }
}
