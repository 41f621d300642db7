import Domain
import Foundation

@testable import Mail

extension FuzzTarget {
    /// Mails with foreign addresses and texts: no part begins another header or another recipient, and all lines are
    /// short enough for every server.
    static let mails: Run = { input in
        let (address, rest) = input.firstLine
        let (subject, body) = rest.firstLine
        guard let sender = EmailAddress("afterword@example.org"), let recipient = EmailAddress(address.text) else {
            return
        }
        law(recipient.text.utf8.count(where: { $0 == UInt8(ascii: "@") }) == 1, "An address has one sign.")
        let letter = Letter(kind: "test", subject: subject.text, body: body.text)
        guard
            let mail = try? MailMessage(letter, from: sender, to: recipient, id: UUID(), date: .distantPast)
        else { return }
        let lines = mail.text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            Array($0)
        }
        law(lines.allSatisfy { $0.count <= 998 && !$0.contains(0x0D) && !$0.contains(0) }, "A line is a line.")
        let head = lines.prefix { !$0.isEmpty }
        let names = head.filter { $0.first != 0x20 }.map { String(decoding: $0.prefix { $0 != 0x3A }, as: UTF8.self) }
        law(names == Self.names, "A mail has its headers: \(names)")
        let to = "To: \(recipient)"
        law(head.contains { isSame(String(decoding: $0, as: UTF8.self), to) }, "A mail has one recipient.")
        law(!recipient.text.contains(where: { " ,;<>()\"".contains($0) }), "An address is one address.")
        if subject.text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }), !subject.text.contains("=?") {
            let plain = "Subject: \(subject.text)"
            law(plain.utf8.count > 76 || mail.text.contains(plain), "A short subject is plain.")
        }
        law(lines.last?.isEmpty == true, "The last line ends.")
    }

    private static let names = [
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
        "Content-Transfer-Encoding",
    ]
}
