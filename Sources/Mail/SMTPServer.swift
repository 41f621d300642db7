import Foundation

/// The address of an SMTP server, and how connections to it are encrypted.
public struct SMTPServer: Sendable, Equatable {
    public enum Encryption: Sendable, Equatable {
        /// TLS from the first byte (RFC 8314, section 3.3): `smtps`.
        case implicit
        /// STARTTLS (RFC 3207): `smtp`. Without it, no mail is sent.
        case startTLS
        /// No encryption: `smtp` with `?tls=off`.
        case none
    }

    public let host: String
    public let port: Int
    /// The name to authenticate with. Nil if the server requires none.
    public let user: String?
    public let encryption: Encryption

    /// Reads a URL such as `smtps://user@smtp.example.org:465`. An `@` in the user needs no escape. The default port is
    /// 465 for `smtps`, 587 for `smtp`, and 25 without encryption.
    ///
    /// Returns nil for anything else: another scheme, a path, a password, or a user without encryption.
    public init?(_ text: String) {
        guard let start = text.range(of: "://")?.upperBound,
            let parts = URLComponents(string: Self.escapingUser(of: text, from: start)),
            let host = parts.host, !host.isEmpty, parts.password == nil, ["", "/"].contains(parts.path),
            parts.fragment == nil, !text.contains(where: \.isWhitespace)
        else { return nil }
        switch (parts.scheme, parts.query) {
        case ("smtps", nil): encryption = .implicit
        case ("smtp", nil): encryption = .startTLS
        case ("smtp", "tls=off"): encryption = .none
        default: return nil
        }
        user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
        guard user == nil || encryption != .none else { return nil }
        let standard =
            switch encryption {
            case .implicit: 465
            case .startTLS: 587
            case .none: 25
            }
        port = parts.port ?? standard
        guard 1...65535 ~= port else { return nil }
        self.host = host
    }

    /// The URL, with all parts.
    public var text: String {
        let name = user.map { $0 + "@" } ?? ""
        return "\(scheme)://\(name)\(host):\(port)" + (encryption == .none ? "?tls=off" : "")
    }

    var scheme: String { encryption == .implicit ? "smtps" : "smtp" }

    /// Escapes every `@` of the user, which is often a mail address.
    private static func escapingUser(of text: String, from start: String.Index) -> String {
        let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        guard let separator = text[start..<end].lastIndex(of: "@") else { return text }
        let user = text[start..<separator].replacing("@", with: "%40")
        return String(text[..<start] + user + text[separator...])
    }
}
