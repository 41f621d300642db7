import Domain
import Foundation
import Logging
import Postgres
import ServiceLifecycle
import Store
import TestSupport
import Testing

@testable import Mail

@Suite(.timeLimit(.minutes(15))) struct MailDelivery {
    private static func enqueue(_ count: Int, in store: Store) async throws {
        for number in 0..<count {
            try await store.pool.execute(
                """
                INSERT INTO outbox (id, kind, recipient, subject, body) VALUES (\(UUID()), 'trial',
                    'recipient@example.org', \("Number \(number)"), \("Text \(number)"))
                """)
        }
    }

    private static func deliverer(
        _ store: Store, _ transport: any MailTransport, logger: Logger = TestStore.silentLogger
    ) throws -> MailDeliverer {
        MailDeliverer(
            store: store, transport: transport, sender: try #require(EmailAddress("afterword@example.org")),
            pause: .milliseconds(20), logger: logger)
    }

    private static func message() throws -> MailMessage {
        try MailMessage(
            Letter(kind: "trial", subject: "s", body: "secret-link\n"),
            from: try #require(EmailAddress("afterword@example.org")),
            to: try #require(EmailAddress("recipient@example.org")), id: UUID(), date: Date())
    }

    @Test func acceptedMailIsMarkedAsSent() async throws {
        try await TestStore.run { fixture in
            let sendmail = try FakeSendmail(FakeSendmail.recording)
            try await Self.enqueue(2, in: fixture.store)
            let deliverer = try Self.deliverer(fixture.store, sendmail.transport())
            while try await deliverer.deliverNext() {}
            #expect(sendmail.mails.count == 2)
            let first = try #require(sendmail.mails.first)
            #expect(first.hasPrefix("-t -i\nFrom: Afterword <afterword@example.org>\nTo: recipient@example.org\n"))
            #expect(first.contains("\nSubject: Number 0\n") && first.hasSuffix("\n\nText 0"))
            #expect(try await fixture.store.outbox.counts() == (0, 0))
            let remaining = try await fixture.store.pool.query("SELECT FROM outbox WHERE body IS NOT NULL")
            #expect(remaining.isEmpty)
        }
    }

    @Test func refusedMailIsRetriedAndSentOnce() async throws {
        try await TestStore.run { fixture in
            let tape = LogTape()
            let sendmail = try FakeSendmail(
                """
                echo x >> tries
                if [ $(wc -l < tries) -le 2 ]; then echo 'unknown: recipient@example.org' >&2; echo more >&2; exit 75; fi
                \(FakeSendmail.recording)
                """)
            try await Self.enqueue(1, in: fixture.store)
            let deliverer = try Self.deliverer(fixture.store, sendmail.transport(), logger: tape.logger())
            for round in 1...3 {
                #expect(try await deliverer.deliverNext())
                #expect(try await !deliverer.deliverNext(), "the mail is not due yet")
                let rows = try await fixture.store.pool.query("SELECT tries, last_error FROM outbox")
                let (tries, reason) = try #require(rows.first).decode(Int.self, String?.self)
                #expect(tries == round)
                #expect(reason == (round < 3 ? "exit code 75: unknown: recipient@example.org" : nil))
                try await fixture.store.pool.execute("UPDATE outbox SET next_try_at = now()")
            }
            #expect(sendmail.mails.count == 1)
            // The program's output may name the recipient, so it is stored in the outbox and not logged.
            #expect(tape.lines.contains { $0.hasPrefix("warning Sending a mail failed") && $0.contains("code 75") })
            #expect(!tape.lines.contains { $0.contains("Text 0") || $0.contains("recipient@") })
        }
    }

    @Test func twoSendersNeverSendAMailTwice() async throws {
        try await TestStore.run { fixture in
            let sendmail = try FakeSendmail("exec 9>lock; flock 9; \(FakeSendmail.recording)")
            try await Self.enqueue(12, in: fixture.store)
            let second = try await fixture.secondStore()
            let first = try Self.deliverer(fixture.store, sendmail.transport())
            let other = try Self.deliverer(second, sendmail.transport())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for deliverer in [first, other] {
                    group.addTask { while try await deliverer.deliverNext() {} }
                }
                try await group.waitForAll()
            }
            await second.close()
            let subjects = sendmail.mails.compactMap { mail in
                mail.split(separator: "\n").first { $0.hasPrefix("Subject: ") }.map(String.init)
            }
            #expect(subjects.count == 12 && Set(subjects).count == 12)
        }
    }

    @Test func shutdownLetsTheMailInFlightFinish() async throws {
        try await TestStore.run { fixture in
            let sendmail = try FakeSendmail(
                "touch begun; while [ ! -e go ]; do sleep 0.02; done; \(FakeSendmail.recording)")
            try await Self.enqueue(2, in: fixture.store)
            let deliverer = try Self.deliverer(fixture.store, sendmail.transport())
            let group = ServiceGroup(configuration: .init(services: [deliverer], logger: TestStore.silentLogger))
            async let running: Void = group.run()
            while !sendmail.has("begun") { try await Task.sleep(for: .milliseconds(10)) }
            await group.triggerGracefulShutdown()
            try sendmail.write("", to: "go")
            try await running
            #expect(sendmail.mails.count == 1)
            #expect(try await fixture.store.outbox.counts().waiting == 1)
        }
    }

    @Test func interruptedMailIsSentLater() async throws {
        try await TestStore.run { fixture in
            let sendmail = try FakeSendmail(
                "if [ ! -e begun ]; then touch begun; sleep 600; fi; \(FakeSendmail.recording)")
            try await Self.enqueue(1, in: fixture.store)
            let deliverer = try Self.deliverer(fixture.store, sendmail.transport(timeout: .seconds(300)))
            let task = Task { try await deliverer.run() }
            while !sendmail.has("begun") { try await Task.sleep(for: .milliseconds(10)) }
            task.cancel()
            _ = await task.result
            #expect(try await fixture.store.outbox.counts().waiting == 1)
            try await fixture.store.pool.execute("UPDATE outbox SET next_try_at = now()")
            while try await deliverer.deliverNext() {}
            #expect(sendmail.mails.count == 1)
        }
    }

    @Test func hangingOrMissingSendmailIsARefusal() async throws {
        let message = try Self.message()
        let hanging = try FakeSendmail("sleep 600; exit 0")
        let start = ContinuousClock.now
        await #expect(throws: MailRefusal("it took longer than 0 s")) {
            try await hanging.transport(timeout: .milliseconds(200)).send(message)
        }
        #expect(.now - start < .seconds(60))
        let missing = Sendmail(path: "/nowhere/sendmail", environment: [:])
        await #expect(throws: MailRefusal.self) { try await missing.send(message) }
        // This program does not read its input.
        let notReading = try FakeSendmail("exec <&-; exit 70")
        await #expect(throws: MailRefusal.self) { try await notReading.transport().send(message) }
    }

    #if os(Linux)
        @Test func mailIsPassedInMemory() async throws {
            let sendmail = try FakeSendmail("readlink /proc/self/fd/0 >&2; exit 1")
            await #expect(throws: MailRefusal("exit code 1", output: "/memfd:afterword-mail (deleted)")) {
                try await sendmail.transport().send(try Self.message())
            }
        }
    #endif

    @Test func mailToAnInvalidAddressIsGivenUpAtOnce() async throws {
        try await TestStore.run { fixture in
            let sendmail = try FakeSendmail(FakeSendmail.recording)
            try await Self.enqueue(1, in: fixture.store)
            try await fixture.store.pool.execute("UPDATE outbox SET recipient = 'a,victim@example.org'")
            let deliverer = try Self.deliverer(fixture.store, sendmail.transport())
            #expect(try await deliverer.deliverNext())
            #expect(try await fixture.store.outbox.counts() == (0, 1))
            #expect(sendmail.mails == [])
        }
    }

    @Test func mailsAreWrittenToPrivateFilesWithoutSendmail() throws {
        let (folder, tape) = (try TemporaryFolder(), LogTape())
        let transport = MailFolder(path: folder / "data/mails", logger: tape.logger())
        let message = try Self.message()
        for _ in 1...2 { try transport.send(message) }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder / "data/mails")
        #expect(files.count == 1, "the second try replaces the file of the first")
        let file = folder / "data/mails/\(files[0])"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("To: recipient@example.org\nSubject: ") && text.contains("\n\nsecret-link"))
        for (path, mode) in [(folder / "data/mails", 0o700), (file, 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
        }
        let line = try #require(tape.lines.last)
        #expect(tape.lines.count == 2 && line.hasPrefix("notice No sendmail is available") && line.contains(file))
        #expect(!line.contains("secret-link") && !line.contains("recipient@example.org"))
    }

    @Test func mailFilesAreDeletedAfterAWeek() throws {
        let folder = try TemporaryFolder()
        for (name, days) in [("old.txt", 7.1), ("new.txt", 6.9), ("old.eml", 30)] {
            let file = try folder.write("x", to: name)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)], ofItemAtPath: file)
        }
        try MailFolder(path: folder.path, logger: LogTape().logger()).send(try Self.message())
        let remaining = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(remaining.count == 3 && remaining.contains("new.txt") && remaining.contains("old.eml"))
    }

    @Test func refusalForAnUnusableFolderOmitsTheMail() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("x", to: "file")
        let refusal = #expect(throws: MailRefusal.self) {
            try MailFolder(path: file + "/mails", logger: LogTape().logger()).send(try Self.message())
        }
        #expect(refusal?.detail == "the folder \(file)/mails cannot be created")
    }

    @Test func sendmailIsFoundInItsUsualPlaces() {
        let installed: Set = ["/opt/bin/sendmail", "/usr/lib/sendmail"]
        #expect(Sendmail.find(in: "/bin:relative:/opt/bin") { installed.contains($0) } == "/opt/bin/sendmail")
        #expect(Sendmail.find(in: "/bin") { installed.contains($0) } == "/usr/lib/sendmail")
        #expect(Sendmail.find(in: "") { _ in false } == nil)
    }
}
