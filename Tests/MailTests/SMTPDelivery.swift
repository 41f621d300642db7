import Domain
import Foundation
import Postgres
import Store
import TestSupport
import Testing

@testable import Mail

/// Mails to a real SMTP server.
@Suite(.timeLimit(.minutes(10))) struct SMTPDelivery {
    private static func message(
        to recipient: String = "recipient@example.org", subject: String = "s", body: String = "text\n"
    ) throws -> MailMessage {
        try MailMessage(
            Letter(kind: "trial", subject: subject, body: body),
            from: try #require(EmailAddress("afterword@feedback.example.org")),
            to: try #require(EmailAddress(recipient)), id: UUID(), date: Date())
    }

    private static func transport(
        _ server: SMTPTestServer, _ url: String, password: String? = nil, timeout: Duration = .seconds(60)
    ) throws -> SMTPTransport {
        let address = try #require(SMTPServer(url.replacing("PORT", with: "\(server.port)")))
        return SMTPTransport(address, password: password, authorities: server.certificate, timeout: timeout)
    }

    private static func refusal(_ work: () async throws(MailRefusal) -> Void) async -> MailRefusal? {
        do throws(MailRefusal) {
            try await work()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (SMTPTestServer.Encryption.smtps, "smtps://localhost:PORT"), (.starttls, "smtp://localhost:PORT"),
        (.none, "smtp://localhost:PORT?tls=off"),
    ])
    func mailArrivesUnchanged(encryption: SMTPTestServer.Encryption, url: String) async throws {
        let server = try SMTPTestServer(encryption)
        let body = "A line.\n.\n.. two dots\n\n" + String(repeating: "long ", count: 400) + "\nÄ 답변 🙂\n"
        let message = try Self.message(subject: "Über die Ergebnisse", body: body)
        try await Self.transport(server, url).send(message)
        let mail = try #require(server.mails.first)
        let envelope = "CLIENT feedback.example.org\nFROM afterword@feedback.example.org\nTO recipient@example.org\n"
        #expect(mail == envelope + message.text)
        #expect(server.mails.count == 1)
    }

    @Test(arguments: [
        (SMTPTestServer.Encryption.smtps, "smtps://afterword@example.org@localhost:PORT"),
        (.starttls, "smtp://afterword%40example.org@localhost:PORT"),
    ])
    func userAuthenticates(encryption: SMTPTestServer.Encryption, url: String) async throws {
        let server = try SMTPTestServer(encryption, password: "pass word:1")
        try await Self.transport(server, url, password: "pass word:1").send(try Self.message())
        #expect(server.mails.count == 1)
        let wrong = try Self.transport(server, url, password: "wrong")
        let refusal = try #require(
            await Self.refusal { () async throws(MailRefusal) in
                try await wrong.check(from: EmailAddress("afterword@example.org")!)
            })
        #expect(refusal.reason.contains("denied") && !refusal.isPermanent, "\(refusal)")
        #expect(!refusal.detail.contains("wrong"))
        try await Self.transport(server, url, password: "pass word:1").check(from: EmailAddress("a@example.org")!)
        #expect(server.mails.count == 1, "a check sends no mail")
    }

    @Test func unencryptedServerReceivesNothing() async throws {
        let server = try SMTPTestServer(.none)
        let transport = try Self.transport(server, "smtp://localhost:PORT")
        await #expect(throws: MailRefusal.self) { try await transport.send(try Self.message()) }
        #expect(server.mails == [])
    }

    @Test func untrustedCertificateReceivesNothing() async throws {
        let server = try SMTPTestServer(.smtps)
        let address = try #require(SMTPServer("smtps://localhost:\(server.port)"))
        let message = try Self.message()
        let untrusted = SMTPTransport(address, password: nil)
        let refusal = try #require(
            await Self.refusal { () async throws(MailRefusal) in
                try await untrusted.send(message)
            })
        #expect(refusal.reason.contains("certificate"))
        // The certificate is for another name.
        let numeric = try Self.transport(server, "smtps://127.0.0.1:PORT")
        await #expect(throws: MailRefusal.self) { try await numeric.send(message) }
        #expect(server.mails == [])
    }

    @Test(arguments: [
        ("unknown@example.org", "550", true), ("relayed@example.org", "550", false), ("busy@example.org", "452", false),
        ("greylisted@example.org", "450", false), ("full@example.org", "554", false),
    ])
    func refusalHasTheServersReply(recipient: String, code: String, isPermanent: Bool) async throws {
        let server = try SMTPTestServer(.none)
        let transport = try Self.transport(server, "smtp://localhost:PORT?tls=off")
        let message = try Self.message(to: recipient)
        let refusal = try #require(
            await Self.refusal { () async throws(MailRefusal) in
                try await transport.send(message)
            })
        #expect(refusal.reason.contains(code) && !refusal.reason.contains("@"))
        #expect(refusal.output.hasPrefix(code + " ") && refusal.isPermanent == isPermanent)
        #expect(server.mails == [])
    }

    @Test func greylistedMailIsSentLaterAndUnknownRecipientIsGivenUp() async throws {
        try await TestStore.run { fixture in
            let server = try SMTPTestServer(.none)
            for recipient in ["unknown@example.org", "greylisted@example.org"] {
                try await fixture.store.pool.execute(
                    """
                    INSERT INTO outbox (id, kind, recipient, subject, body)
                        VALUES (\(UUID()), 'trial', \(recipient), 's', 'b')
                    """)
            }
            let deliverer = MailDeliverer(
                store: fixture.store, transport: try Self.transport(server, "smtp://localhost:PORT?tls=off"),
                sender: try #require(EmailAddress("afterword@example.org")), logger: TestStore.silentLogger)
            while try await deliverer.deliverNext() {}
            #expect(try await fixture.store.outbox.counts() == (1, 1))
            try await fixture.store.pool.execute("UPDATE outbox SET next_try_at = now()")
            while try await deliverer.deliverNext() {}
            #expect(try await fixture.store.outbox.counts() == (0, 1))
            #expect(server.mails.count == 1 && server.mails.first?.contains("TO greylisted@example.org") == true)
        }
    }

    @Test func connectionCutWithinAMailIsARefusal() async throws {
        let server = try SMTPTestServer(.none)
        let transport = try Self.transport(server, "smtp://localhost:PORT?tls=off")
        let message = try Self.message(to: "cut@example.org", body: String(repeating: "long line\n", count: 10_000))
        await #expect(throws: MailRefusal.self) { try await transport.send(message) }
        #expect(server.mails == [])
    }

    @Test func silentServerIsGivenUpAfterTheTimeoutOrACancellation() async throws {
        // Accepts connections in the kernel's queue and never greets.
        let listener = try SilentListener()
        let address = try #require(SMTPServer("smtp://127.0.0.1:\(listener.port)?tls=off"))
        let message = try Self.message()
        let quick = SMTPTransport(address, password: nil, timeout: .seconds(1))
        let refusal = await Self.refusal { () async throws(MailRefusal) in try await quick.send(message) }
        #expect(refusal == MailRefusal("it took longer than 1 s"))
        let patient = SMTPTransport(address, password: nil, timeout: .seconds(300))
        let task = Task { await Self.refusal { () async throws(MailRefusal) in try await patient.send(message) } }
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        task.cancel()
        #expect(await task.value == MailRefusal("it was interrupted"))
        #expect(.now - start < .seconds(60))
    }

    @Test func missingServerIsARefusal() async throws {
        let listener = try SilentListener()
        let port = listener.port
        listener.close()
        let address = try #require(SMTPServer("smtp://127.0.0.1:\(port)?tls=off"))
        let transport = SMTPTransport(address, password: nil)
        await #expect(throws: MailRefusal.self) { try await transport.send(try Self.message()) }
    }
}
