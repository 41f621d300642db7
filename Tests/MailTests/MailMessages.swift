import Domain
import Foundation
import Testing

@testable import Mail

@Suite struct MailMessages {
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private static func message(
        subject: String = "Hello", body: String = "Text\n", to recipient: String = "somebody@example.org"
    ) throws -> MailMessage {
        try MailMessage(
            Letter(kind: "trial", subject: subject, body: body),
            from: try #require(EmailAddress("afterword@feedback.example.org")),
            to: try #require(EmailAddress(recipient)), id: id, date: Date(timeIntervalSince1970: 1_795_306_302))
    }

    @Test func asciiMailIsWrittenWithoutEncoding() throws {
        #expect(
            try Self.message().text == """
                From: Afterword <afterword@feedback.example.org>
                To: somebody@example.org
                Subject: Hello
                Date: Sun, 22 Nov 2026 00:11:42 +0000
                Message-ID: <01020304-0506-0708-090a-0b0c0d0e0f10@feedback.example.org>
                Auto-Submitted: auto-generated
                MIME-Version: 1.0
                Content-Type: text/plain; charset=utf-8
                Content-Transfer-Encoding: 7bit

                Text

                """)
    }

    /// Names and titles are written by strangers and appear in subjects.
    @Test(arguments: [
        "a\r\nBcc: victim@example.org", "a\nBcc: victim@example.org", "a\rBcc: victim@example.org",
        "a\r\n\r\nAnother body", "a\u{0}b", "\u{85}Bcc: victim@example.org", "\u{2028}Bcc: victim@example.org",
        "=?utf-8?Q?a=0D=0ABcc:_victim@example.org?=", String(repeating: "ä\r\n", count: 300),
        String(repeating: "a", count: 2000), "", "\u{7f}\u{1b}[2J", "한국어 회고 \u{1f600}\u{0}",
    ])
    func subjectCannotAddOrEndHeaders(subject: String) throws {
        let text = try Self.message(subject: subject).text
        let parts = text.split(separator: "\n\n", maxSplits: 1)
        let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
        let names = lines.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            names == [
                "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
                "Content-Transfer-Encoding",
            ])
        #expect(parts[0].utf8.allSatisfy { (0x20...0x7e).contains($0) || $0 == 0x0a })
        #expect(lines.allSatisfy { $0.utf8.count <= 76 }, "RFC 2047, section 2")
        #expect(parts.last == "Text\n")
    }

    @Test(arguments: [
        "a,victim@example.org", "a<victim@example.org", "a;b@example.org", "(comment)@example.org", "a\"b@example.org",
        "a@[127.0.0.1]", "a:b@example.org", "a\\b@example.org",
    ])
    func addressWithMailSyntaxIsRefused(address: String) throws {
        #expect(throws: MailMessage.NotMailable.self) { try Self.message(to: address) }
    }

    @Test(arguments: ["o'hara+x@example.org", "müller@exämple.org", "a.b_c-d=e@sub.example.org", "홍길동@example.org"])
    func usualAddressesAreAccepted(address: String) throws {
        #expect(try Self.message(to: address).text.contains("\nTo: \(address)\n"))
    }

    /// Python's email package decodes the same values.
    @Test func pythonReadsTheSameMessage() throws {
        let subject = "Rückblick auf „한국어“ \u{1f600}: " + String(repeating: "sehr lange Zeile ", count: 12) + "Ende"
        let body = """
            Grüße = 100 %\u{20}
            .
            From here on
            \(String(repeating: "lang ä ", count: 60))
            \u{1f469}\u{200d}\u{1f4bb}\ttab\u{9}
            """
        let script = """
            import sys, email, email.policy
            message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
            assert not message.defects, message.defects
            sys.stdout.buffer.write(("\\0".join([message["subject"], message["to"], message["auto-submitted"],
                str(message["date"].datetime), message.get_content()])).encode())
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(
            contentsOf: Data(try Self.message(subject: subject, body: body).text.utf8))
        try input.fileHandleForWriting.close()
        let read = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(
            read.split(separator: "\0").map(String.init) == [
                subject, "somebody@example.org", "auto-generated", "2026-11-22 00:11:42+00:00", body + "\n",
            ])
    }

    @Test func controlCharactersAreRemovedFromTheText() {
        #expect(MailMessage.plain("a\r\nb\rc\n\u{0}\u{1b}d\te") == "a\nb\nc\nd\te\n")
    }

    @Test(arguments: [
        ("a=b", "a=3Db"), ("ends in blanks \t\n", "ends in blanks =09\n"), ("ä", "=C3=A4"),
        (
            String(repeating: "x", count: 80) + "\n",
            String(repeating: "x", count: 75) + "=\n" + String(repeating: "x", count: 5) + "\n"
        ),
    ])
    func textIsEncodedAsQuotedPrintable(text: String, quoted: String) {
        #expect(QuotedPrintable.encode(text) == quoted)
    }
}
