#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The address of a client for the purpose of limits: an IPv4 address, or the first 64 bits of an IPv6 address, because
/// a single household usually has a network of that size.
public struct ClientAddress: Hashable, Sendable {
    public let text: String

    /// Parses `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:4711`; nil for anything
    /// else. An IPv4-mapped IPv6 address becomes the IPv4 address.
    public init?(_ address: some StringProtocol) {
        // The C library would stop reading at a NUL byte.
        guard !address.utf8.contains(0) else { return nil }
        if address.first == "[" {
            let parts = address.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].isEmpty || Self.isPort(parts[1]) else { return nil }
            guard let network = Self.network(of: parts[0]) else { return nil }
            text = network
        } else if let host = Self.ipv4(address.prefix { $0 != ":" }) {
            let port = address.drop { $0 != ":" }
            guard port.isEmpty || Self.isPort(port) else { return nil }
            text = host
        } else {
            guard let network = Self.network(of: address) else { return nil }
            text = network
        }
    }

    private static func isPort(_ text: some StringProtocol) -> Bool {
        text.first == ":" && (2...6).contains(text.utf8.count)
            && text.utf8.dropFirst().allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
            && UInt16(text.dropFirst()) != nil
    }

    private static func ipv4(_ text: some StringProtocol) -> String? {
        var address = in_addr()
        guard inet_pton(AF_INET, String(text), &address) == 1 else { return nil }
        return String(text)
    }

    /// The first 64 bits of an IPv6 address, without its zone.
    private static func network(of text: some StringProtocol) -> String? {
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &address) { Array($0) }
        if bytes.starts(with: Array(repeating: 0, count: 10) + [0xff, 0xff]) {
            return bytes.suffix(4).map { String($0) }.joined(separator: ".")
        }
        let groups = stride(from: 0, to: 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }

    /// A peer without an address, such as that of a Unix socket.
    private init(unknown text: String) { self.text = text }

    /// The peer of the connection or, behind trusted proxies, the peer that the outermost of them saw.
    ///
    /// Each proxy appends its peer's address to `X-Forwarded-For`; the entries before those are the client's own claim.
    /// If the entry is missing or invalid, the peer's address is used.
    public init(peer: String?, forwarded: String?, trustedProxies: Int) {
        let peer = peer ?? "unknown"
        let hops = (forwarded ?? "").utf8.split(separator: UInt8(ascii: ","))
        let hop = trustedProxies > 0 ? hops.suffix(trustedProxies).first : nil
        let claimed = hop.flatMap { ClientAddress(Substring($0).trimmingSpaces) }
        self = claimed ?? ClientAddress(peer) ?? ClientAddress(unknown: peer)
    }
}

extension StringProtocol {
    /// The value without the spaces and tabs that HTTP allows around it.
    public var trimmingSpaces: SubSequence {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
