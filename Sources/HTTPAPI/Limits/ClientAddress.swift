#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where a client comes from, as limits count it: an IPv4 address, or the first 64 bits of an IPv6 address, of which
/// one household has as many as it likes.
struct ClientAddress: Hashable, Sendable {
    let text: String

    /// Reads `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:4711`; nil for what is no
    /// address. An IPv4 address that is written as an IPv6 one is the IPv4 address.
    init?(_ address: some StringProtocol) {
        if address.first == "[" {
            let parts = address.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].isEmpty || Self.isPort(parts[1]) else { return nil }
            guard let network = Self.network(of: parts[0]) else { return nil }
            text = network
        } else if let host = Self.dotted(address.prefix { $0 != ":" }) {
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

    private static func dotted(_ text: some StringProtocol) -> String? {
        var address = in_addr()
        guard inet_pton(AF_INET, String(text), &address) == 1 else { return nil }
        return String(text)
    }

    /// The first 64 bits of an IPv6 address, whatever its zone is called.
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

    /// An end that has no address, such as that of a Unix socket.
    private init(unknown text: String) { self.text = text }

    /// The connection's end, or what the outermost of so many trusted proxies saw: each adds the address it talks to at
    /// the end of `X-Forwarded-For`, and everything before those is the client's own claim. What is no address there is
    /// not believed: it counts as the peer's.
    init(peer: String?, forwarded: String?, trustedProxies: Int) {
        let peer = peer ?? "unknown"
        let hops = forwarded?.split(separator: ",").map(\.trimmingSpaces) ?? []
        let hop = trustedProxies > 0 ? hops.suffix(trustedProxies).first : nil
        self = hop.flatMap { ClientAddress($0) } ?? ClientAddress(peer) ?? ClientAddress(unknown: peer)
    }
}
