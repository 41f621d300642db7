import Foundation

/// The URL of a webhook, with http or https. It is parsed strictly, so that another parser cannot see a different host.
public struct WebhookURL: Sendable, Equatable {
    public static let maximumLength = 2_000

    public enum Invalid: Error, Sendable, Equatable {
        case tooLong, malformed, scheme, userInfo, fragment
    }

    /// The URL as it was given.
    public let text: String
    /// A name, or an address. An IPv6 address is without brackets.
    public let host: String

    public init(_ text: String) throws(Invalid) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        guard text.utf8.allSatisfy({ 0x21...0x7e ~= $0 && !"\"<>\\^`{|}".utf8.contains($0) }) else { throw .malformed }
        guard let separator = text.firstRange(of: "://") else { throw .malformed }
        guard ["http", "https"].contains(text[..<separator.lowerBound].lowercased()) else { throw .scheme }
        guard !text.contains("#") else { throw .fragment }
        let authority = text[separator.upperBound...].prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw .userInfo }
        guard let host = Self.host(authority), let url = URL(string: text),
            url.host().map(Self.unbracketed)?.lowercased() == host.lowercased()
        else { throw .malformed }
        self.text = text
        self.host = host
    }

    /// The host as an address, in any notation that resolvers accept. Nil if the host is a name.
    public var address: NetworkAddress? { NetworkAddress(loose: host) }

    /// Whether the URL itself refers to this machine or a private network. A name may still resolve to a private
    /// address.
    public var isPrivate: Bool {
        if let address { return !address.isPublic }
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// The host in lower case, without a trailing dot.
    var name: String {
        let name = host.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// Whether the scheme is https.
    public var isEncrypted: Bool { text.lowercased().hasPrefix("https:") }

    private static func host(_ authority: Substring) -> String? {
        let (host, port): (Substring, Substring)
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            port = authority[authority.index(after: end)...]
            guard NetworkAddress(String(host))?.isIPv6 == true else { return nil }
        } else {
            host = authority.prefix { $0 != ":" }
            port = authority[host.endIndex...]
            guard isName(host) else { return nil }
        }
        guard port.isEmpty || isPort(port) else { return nil }
        return String(host)
    }

    /// Labels of letters, digits, hyphens and underscores, with an optional trailing dot.
    private static func isName(_ host: Substring) -> Bool {
        let bare = host.hasSuffix(".") ? host.dropLast() : host
        let labels = bare.split(separator: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.allSatisfy { label in
                1...63 ~= label.utf8.count
                    && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            }
    }

    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        guard text.first == ":", 1...5 ~= digits.count, digits.allSatisfy(\.isNumber) else { return false }
        return 1...65_535 ~= (Int(digits) ?? 0)
    }

    private static func unbracketed(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
