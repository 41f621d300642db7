import Domain
import Foundation

@testable import Mail

extension FuzzTarget {
    /// Mails with arbitrary addresses and texts: no part begins another header or adds a recipient, and all lines are
    /// short enough for every server. Decoding according to the standards yields the original texts.
    static let mails: Run = { input in
        let (address, rest) = input.firstLine
        let (subject, body) = rest.firstLine
        guard let sender = EmailAddress("afterword@example.org"), let recipient = EmailAddress(address.text) else {
            return
        }
        law(recipient.text.utf8.count(where: { $0 == UInt8(ascii: "@") }) == 1, "An address has one @.")
        let letter = Letter(kind: "test", subject: subject.text, body: body.text)
        guard
            let mail = try? MailMessage(letter, from: sender, to: recipient, id: UUID(), date: .distantPast)
        else { return }
        let lines = mail.text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            Array($0)
        }
        law(
            lines.allSatisfy { $0.count <= 998 && !$0.contains(0x0D) && !$0.contains(0) },
            "A line is short and has no CR or NUL.")
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
        law(lines.last?.isEmpty == true, "The last line ends with a line feed.")
        checkSubject(letter.subject, head)
        checkBody(letter.body, lines.dropFirst(head.count + 1), head)
    }

    /// Decodes the subject (RFC 2047), in the form in which this service encodes it.
    private static func checkSubject(_ subject: String, _ head: ArraySlice<[UInt8]>) {
        let lines = head.map { String(decoding: $0, as: UTF8.self) }
        guard let first = lines.firstIndex(where: { $0.hasPrefix("Subject: ") }) else { return }
        let words =
            [lines[first].dropFirst(9)] + lines[(first + 1)...].prefix { $0.hasPrefix(" ") }.map { $0.dropFirst() }
        guard let word = words.first, word.hasPrefix("=?utf-8?B?") else { return }
        let decoded = words.map { Data(base64Encoded: String($0.dropFirst(10).dropLast(2))) ?? Data() }
        let text = String(decoding: decoded.joined(), as: UTF8.self)
        law(isSame(text, EncodedWord.oneLine(subject)), "The decoded subject is the original.")
        law(
            decoded.allSatisfy { String(validating: $0, as: UTF8.self) != nil }, "An encoded word has whole characters."
        )
    }

    /// Decodes the body (RFC 2045, section 6.7).
    private static func checkBody(_ body: String, _ lines: ArraySlice<[UInt8]>, _ head: ArraySlice<[UInt8]>) {
        var decoded: [UInt8] = []
        if head.contains(Array("Content-Transfer-Encoding: quoted-printable".utf8)) {
            law(lines.allSatisfy { $0.count <= 76 && $0.allSatisfy { $0 < 0x80 } }, "An encoded line is short.")
            law(lines.allSatisfy { ![0x20, 0x09].contains($0.last) }, "No encoded line ends with space.")
            for line in lines {
                var rest = line[...]
                while let byte = rest.popFirst() {
                    guard byte == UInt8(ascii: "=") else {
                        decoded.append(byte)
                        continue
                    }
                    decoded += UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16).map { [$0] } ?? []
                    rest = rest.dropFirst(2)
                }
                if line.last != UInt8(ascii: "=") { decoded.append(0x0A) }
            }
            // The text after the last line feed is not a line.
            decoded = decoded.dropLast()
        } else {
            decoded = Array(lines.joined(separator: [0x0A]))
        }
        law(decoded == Array(MailMessage.plain(body).utf8), "The decoded body is the original.")
    }

    private static let names = [
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
        "Content-Transfer-Encoding",
    ]
}
