import Domain
import Foundation

/// A mail in the format of RFC 5322 for `sendmail -t`, with lines that end in LF.
///
/// No part of it can begin another header: control characters in the subject become spaces, and an address with
/// characters that could begin another address or header is refused.
public struct MailMessage: Sendable {
    /// The address cannot be used in a header.
    public struct NotMailable: Error, Equatable {}

    public let sender: EmailAddress
    public let recipient: EmailAddress
    let letter: Letter
    let id: UUID
    let date: Date

    /// - Parameter id: The source of the Message-ID, so that a mail that is sent twice can be recognized.
    public init(
        _ letter: Letter, from sender: EmailAddress, to recipient: EmailAddress, id: UUID, date: Date
    ) throws(NotMailable) {
        guard sender.isMailable, recipient.isMailable else { throw NotMailable() }
        self.letter = letter
        self.sender = sender
        self.recipient = recipient
        self.id = id
        self.date = date
    }

    public var text: String {
        let domain = sender.text.split(separator: "@").last ?? "localhost"
        let headers = [
            "From: Afterword <\(sender)>",
            "To: \(recipient)",
            "Subject: \(EncodedWord.header(letter.subject, after: 9))",
            "Date: \(Self.format(date))",
            "Message-ID: <\(id.lowercased)@\(domain)>",
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
        ]
        return headers.joined(separator: "\n") + "\n" + (letter.attachment.map(mixed) ?? plainPart)
    }

    /// The text with its headers.
    private var plainPart: String {
        let body = Self.plain(letter.body)
        let isShortASCII = body.utf8.split(separator: UInt8(ascii: "\n")).allSatisfy { line in
            line.count <= 900 && line.allSatisfy { $0 < 0x80 }
        }
        let headers = [
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: \(isShortASCII ? "7bit" : "quoted-printable")",
        ]
        return headers.joined(separator: "\n") + "\n\n" + (isShortASCII ? body : QuotedPrintable.encode(body))
    }

    /// The text and the attachment with their headers (RFC 2046, section 5.1.3).
    private func mixed(_ attachment: Letter.Attachment) -> String {
        // The id is unknown to the authors of the text. `=_` is in no quoted-printable and no base64.
        let boundary = "=_" + id.lowercased.replacing("-", with: "")
        let name = attachment.name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
        let file = Data(attachment.bytes).base64EncodedString(options: [
            .lineLength76Characters, .endLineWithLineFeed,
        ])
        return [
            "Content-Type: multipart/mixed;\n boundary=\"\(boundary)\"", "",
            "--\(boundary)", plainPart,
            "--\(boundary)",
            "Content-Type: \(attachment.mediaType)",
            "Content-Disposition: attachment; filename=\"\(name)\"",
            "Content-Transfer-Encoding: base64", "", file,
            "--\(boundary)--", "",
        ].joined(separator: "\n")
    }

    /// The text without control characters other than tabs. Every line, including the last, ends in LF.
    static func plain(_ text: String) -> String {
        var plain = ""
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\r": plain.append("\n")
            case "\n": if !isAfterReturn { plain.append("\n") }
            case "\t": plain.append("\t")
            case _ where scalar.properties.generalCategory == .control: break
            default: plain.unicodeScalars.append(scalar)
            }
            isAfterReturn = scalar == "\r"
        }
        return plain.hasSuffix("\n") ? plain : plain + "\n"
    }

    /// Formats a date as in RFC 5322, section 3.3, in UTC.
    static func format(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func padded(_ number: Int?) -> String { String(100 + (number ?? 0)).suffix(2).description }
        return "\(days[(parts.weekday ?? 1) - 1]), \(parts.day ?? 1) \(months[(parts.month ?? 1) - 1]) "
            + "\(parts.year ?? 1970) \(padded(parts.hour)):\(padded(parts.minute)):\(padded(parts.second)) +0000"
    }
}
