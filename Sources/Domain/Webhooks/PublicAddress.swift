import Foundation

/// The base URL of codes and links, and from where it can be reached. Without a warning, a host might print a code
/// before noticing that no phone can open it.
public struct PublicAddress: Sendable, Equatable {
    /// From where the address can be reached, judged by the host name without a look-up.
    public enum Reach: Sendable, Equatable {
        /// Probably from everywhere.
        case everywhere
        /// From the same local network only.
        case sameNetwork
        /// From this machine only, or from nowhere.
        case sameMachine
    }

    /// Without a trailing slash.
    public let base: String
    public let reach: Reach
    /// Whether the address is unencrypted, with `http`.
    public let isPlain: Bool

    public init(_ base: String) {
        self.base = base
        isPlain = base.lowercased().hasPrefix("http://")
        reach = Self.reach(of: URLComponents(string: base)?.host ?? "")
    }

    /// The reason why a phone may not reach the address, as a sentence. Nil if it should.
    public var warning: String? {
        switch reach {
        case .everywhere: nil
        case .sameNetwork:
            "Codes and links begin with \(base), which only devices in the same network can reach: "
                + "set --public-url to an address that everybody can reach, unless this is intended."
        case .sameMachine:
            "Codes and links begin with \(base), which no phone can reach: "
                + "set --public-url to the address people open."
        }
    }
}

extension PublicAddress {
    static func reach(of host: String) -> Reach {
        var name = host.lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name.hasSuffix(".") { name.removeLast() }
        if let address = IPv4(name) { return address.reach }
        if name.contains(":") { return reach(ofIPv6: name) }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        switch labels.last {
        case "", nil, "localhost": return .sameMachine
        case "local", "internal", "lan", "home", "intranet": return .sameNetwork
        default: return labels.count == 1 || name.hasSuffix(".home.arpa") ? .sameNetwork : .everywhere
        }
    }

    /// RFC 4291 and RFC 4193; an IPv4 address inside an IPv6 one is treated as IPv4.
    private static func reach(ofIPv6 text: String) -> Reach {
        // A zone names an interface of one machine.
        let address = text.prefix { $0 != "%" }
        if let tail = address.split(separator: ":").last, let mapped = IPv4(String(tail)) {
            return mapped.reach
        }
        let groups = address.split(separator: ":", omittingEmptySubsequences: true).compactMap { Int($0, radix: 16) }
        let isLoopback = groups.last == 1 && groups.dropLast().allSatisfy { $0 == 0 } && !address.hasSuffix(":")
        if isLoopback || groups.allSatisfy({ $0 == 0 }) { return .sameMachine }
        guard !address.hasPrefix(":"), let first = groups.first else { return .everywhere }
        return first & 0xffc0 == 0xfe80 || first & 0xfe00 == 0xfc00 ? .sameNetwork : .everywhere
    }

    /// Four numbers separated by dots.
    private struct IPv4 {
        let parts: [UInt8]

        init?(_ text: String) {
            parts = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
            guard parts.count == 4, text.count(where: { $0 == "." }) == 3 else { return nil }
        }

        /// RFC 1122, RFC 1918, RFC 3927 and RFC 6598.
        var reach: Reach {
            switch (parts[0], parts[1]) {
            case (0, _), (127, _): .sameMachine
            case (10, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): .sameNetwork
            default: .everywhere
            }
        }
    }
}
