import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Mail

/// Mails whose text is not stored but written when they are sent, with an attachment.
@Suite(.timeLimit(.minutes(5))) struct MailsWrittenWhenSent {
    private static let (accountID, meetingID) = (UUID(), UUID())
    private static let file = Letter.Attachment(
        name: "report.pdf", mediaType: "application/pdf", bytes: Array("%PDF-1.5\n".utf8) + (0...255) + [10, 10])

    private static func enqueue(in store: Store) async throws {
        try await store.pool.execute(
            """
            INSERT INTO outbox (id, kind, recipient, subject, body, account_id, meeting_id)
            VALUES (\(UUID()), 'results-closed', 'host@example.org', '', '', \(accountID), \(meetingID))
            """)
    }

    private static func deliverer(
        _ store: Store, _ transport: any MailTransport, write: @escaping MailDeliverer.Writer
    ) throws -> MailDeliverer {
        MailDeliverer(
            store: store, transport: transport, sender: try #require(EmailAddress("afterword@example.org")),
            pause: .milliseconds(20), logger: TestStore.silentLogger, write: write)
    }

    private static func letter(_ body: String) -> Letter {
        var letter = Letter(kind: "results-closed", subject: "Results: 회고", body: body)
        letter.attachment = file
        return letter
    }

    private struct Row: Equatable {
        var tries: Int
        var subject: String?
        var body: String?
        var error: String?
        var isFailed: Bool
    }

    private static func rows(_ store: Store) async throws -> [Row] {
        try await store.pool.query("SELECT tries, subject, body, last_error, failed_at IS NOT NULL FROM outbox").map {
            let (tries, subject, body, error, failed) = try $0.decode(
                Int.self, String?.self, String?.self, String?.self, Bool.self)
            return Row(tries: tries, subject: subject, body: body, error: error, isFailed: failed)
        }
    }

    @Test func refusedMailIsWrittenAgainAndLeavesNoText() async throws {
        try await TestStore.run { fixture in
            let sendmail = try FakeSendmail(
                "if [ ! -e tried ]; then touch tried; exit 75; fi; \(FakeSendmail.recording)")
            try await Self.enqueue(in: fixture.store)
            let deliverer = try Self.deliverer(fixture.store, sendmail.transport()) { source in
                #expect(source.accountID == Self.accountID && source.meetingID == Self.meetingID)
                return Self.letter("More demos, 데모\n")
            }
            #expect(try await deliverer.deliverNext())
            let waiting = Row(tries: 1, subject: "", body: "", error: "exit code 75", isFailed: false)
            #expect(try await Self.rows(fixture.store) == [waiting])
            try await fixture.store.pool.execute("UPDATE outbox SET next_try_at = now()")
            #expect(try await deliverer.deliverNext())
            #expect(try await Self.rows(fixture.store) == [Row(tries: 2, isFailed: false)])
            let mail = try #require(sendmail.mails.first)
            #expect(mail.contains("To: host@example.org\n") && mail.contains("Content-Type: multipart/mixed;\n"))
        }
    }

    /// Mails at a close are written for a third of a minute at most, which nobody who forgot a password should wait for.
    @Test func storedMailsDoNotWaitForOneThatIsBeingWritten() async throws {
        try await TestStore.run { fixture in
            let sendmail = try FakeSendmail(FakeSendmail.recording)
            try await Self.enqueue(in: fixture.store)
            let (started, start) = AsyncStream<Void>.makeStream()
            let deliverer = try Self.deliverer(fixture.store, sendmail.transport()) { _ in
                start.yield()
                // Until the deliverer is cancelled.
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
            let delivering = Task { try await deliverer.run() }
            _ = await started.first { true }
            try await fixture.store.pool.execute(
                """
                INSERT INTO outbox (id, kind, recipient, subject, body)
                VALUES (\(UUID()), 'password-reset', 'other@example.org', 'A new password', 'Hello\n')
                """)
            try await eventually("the other mail") {
                sendmail.mails.contains { $0.contains("To: other@example.org\n") }
            }
            delivering.cancel()
            try await delivering.value
            #expect(sendmail.mails.count == 1)
        }
    }

    @Test func unneededMailIsDiscarded() async throws {
        try await TestStore.run { fixture in
            let sendmail = try FakeSendmail(FakeSendmail.recording)
            try await Self.enqueue(in: fixture.store)
            let deliverer = try Self.deliverer(fixture.store, sendmail.transport()) { _ in nil }
            #expect(try await deliverer.deliverNext())
            #expect(try await Self.rows(fixture.store).isEmpty && sendmail.mails.isEmpty)
        }
    }

    @Test func mailThatCannotBeWrittenIsTriedAgainAndGivenUp() async throws {
        try await TestStore.run { fixture in
            let sendmail = try FakeSendmail(FakeSendmail.recording)
            try await Self.enqueue(in: fixture.store)
            let deliverer = try Self.deliverer(fixture.store, sendmail.transport()) { _ in
                throw Problem(.overloaded, retryAfter: 5)
            }
            #expect(try await deliverer.deliverNext())
            let reason = "writing it failed: overloaded"
            #expect(
                try await Self.rows(fixture.store)
                    == [Row(tries: 1, subject: "", body: "", error: reason, isFailed: false)])
            #expect(try await !deliverer.deliverNext(), "it is not due yet")
            try await fixture.store.pool.execute(
                "UPDATE outbox SET next_try_at = now(), created_at = now() - interval '3 days'")
            #expect(try await deliverer.deliverNext())
            #expect(try await Self.rows(fixture.store) == [Row(tries: 2, error: reason, isFailed: true)])
        }
    }

    /// Python's email package decodes the text and the file.
    @Test(arguments: ["Plain text\n", "More demos: 데모 🎉, العرض\n\n.\n--=_\n", String(repeating: "long ä ", count: 700)])
    func pythonReadsTheTextAndTheFile(body: String) throws {
        let message = try MailMessage(
            Self.letter(body), from: try #require(EmailAddress("afterword@example.org")),
            to: try #require(EmailAddress("host@example.org")), id: UUID(), date: Date())
        #expect(message.text.utf8.allSatisfy { $0 < 0x80 })
        #expect(message.text.split(separator: "\n").allSatisfy { $0.utf8.count <= 76 })
        let folder = try TemporaryFolder()
        let script = """
            import email, email.policy, hashlib, json, sys
            mail = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
            assert not mail.defects, mail.defects
            text, file = list(mail.iter_parts())
            print(json.dumps({"subject": mail["subject"], "text": text.get_content(), "name": file.get_filename(),
                "type": file.get_content_type(), "size": len(file.get_content()), "bytes": file.get_content().hex()}))
            """
        let output = try Self.python(script, try folder.write(message.text, to: "mail"))
        let read = try JSONValue.parse(output)
        #expect(read["subject"] == .string("Results: 회고"))
        let text = read["text"]?.string ?? ""
        #expect(text.trimmingCharacters(in: .newlines) == body.trimmingCharacters(in: .newlines))
        #expect(read["name"] == .string("report.pdf") && read["type"] == .string("application/pdf"))
        #expect(read["bytes"] == .string(Self.file.bytes.map { String(format: "%02x", $0) }.joined()))
    }

    private static func python(_ script: String, _ argument: String) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script, argument]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Array(bytes)
    }
}
