import HTTPTypes

/// Where a client comes from, as limits count it: an IPv4 address, or the first 64 bits of an IPv6 address, of which
/// one household has as many as it likes.
struct ClientAddress: Hashable, Sendable {
    let text: String

    init(_ address: String) {
        guard address.contains(":") else {
            text = address
            return
        }
        let plain = address.prefix { $0 != "%" }
        if let mapped = plain.split(separator: ":").last, mapped.contains(".") {
            text = String(mapped)
            return
        }
        let halves = plain.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        let head = halves[0].split(separator: ":").map { $0.drop { $0 == "0" } }
        let padded = (head + Array(repeating: "", count: max(0, 4 - head.count))).prefix(4)
        text = padded.map { $0.isEmpty ? "0" : String($0).lowercased() }.joined(separator: ":") + "::/64"
    }

    /// The connection's end, or what the outermost of so many trusted proxies saw: each adds the address it talks to at
    /// the end of `X-Forwarded-For`, and everything before those is the client's own claim.
    init(peer: String?, forwarded: String?, trustedProxies: Int) {
        let peer = peer ?? "unknown"
        guard trustedProxies > 0, let forwarded else {
            self.init(peer)
            return
        }
        let hops = forwarded.split(separator: ",").map { String($0.trimmingSpaces) }
        guard let hop = hops.suffix(trustedProxies).first, !hop.isEmpty, hop.utf8.count <= 64 else {
            self.init(peer)
            return
        }
        self.init(hop)
    }
}
