import Domain
import Foundation

extension FuzzTarget {
    /// URLs of webhooks: other parsers find the same host, and no notation of a private address is taken for a name or
    /// for a public address.
    static let urls: Run = { input in
        let text = input.text
        _ = PublicAddress(text).reach
        checkAddress(text)
        guard let url = try? WebhookURL(text) else { return }
        law(url.text.utf8.allSatisfy { 0x21...0x7e ~= $0 }, "A URL is visible ASCII.")
        guard let parts = URLComponents(string: text) else { return law(false, "Foundation reads the URL.") }
        law(
            parts.user == nil && parts.password == nil && parts.fragment == nil,
            "A URL has neither a user nor a fragment.")
        checkResolved(url)
    }

    private static func checkAddress(_ text: String) {
        guard let address = NetworkAddress(text) else { return }
        let again = NetworkAddress(address.description)
        law(again == address && again?.isPublic == address.isPublic, "An address is read as it is written.")
        law(NetworkAddress(loose: text) == address, "A loose reading accepts strict addresses.")
    }

    /// Compares with the sender's resolver, which accepts more notations of addresses than the standards do.
    private static func checkResolved(_ url: WebhookURL) {
        guard let resolved = resolve(url.host) else { return }
        guard let address = url.address else { return law(false, "\(url.host) is an address.") }
        law(address == resolved, "\(url.host) is \(resolved), not \(address).")
        law(url.isPrivate == !resolved.isPublic, "\(url.host) is private if its address is.")
    }

    /// Returns the address that the C library finds in a host, without asking a server.
    private static func resolve(_ host: String) -> NetworkAddress? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0, let first = list?.pointee else { return nil }
        defer { freeaddrinfo(list) }
        let offset = first.ai_family == AF_INET6 ? 8 : 4
        let count = first.ai_family == AF_INET6 ? 16 : 4
        return first.ai_addr.withMemoryRebound(to: UInt8.self, capacity: offset + count) { bytes in
            NetworkAddress(bytes: Array(UnsafeBufferPointer(start: bytes + offset, count: count)))
        }
    }
}
