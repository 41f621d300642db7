import Foundation

/// An IPv4 or IPv6 address, and whether it is public.
public struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    public let bytes: [UInt8]

    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Parses an address such as `192.0.2.1` or `2001:db8::1`, without brackets or a zone.
    public init?(_ text: String) {
        let isIPv6 = text.contains(":")
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        // The C library reads up to the first NUL only.
        guard !text.utf8.contains(0), inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
        self.bytes = bytes
    }

    /// Also accepts what many resolvers accept as an IPv4 address: `2130706433`, `0x7f.1`, `127.1`, `017700000001`, and
    /// a trailing dot.
    public init?(loose text: String) {
        let host = text.hasSuffix(".") ? String(text.dropLast()) : text
        if let strict = NetworkAddress(host) {
            self = strict
            return
        }
        var address = in_addr()
        guard !host.contains(where: \.isWhitespace), !host.utf8.contains(0), inet_aton(host, &address) != 0 else {
            return nil
        }
        let value = UInt32(bigEndian: address.s_addr)
        bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    public var isIPv6: Bool { bytes.count == 16 }

    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// False for loopback, private, link-local and shared ranges, multicast, broadcast, and ranges reserved for
    /// documentation and benchmarking. An IPv6 address that contains an IPv4 address is treated like the IPv4 address.
    public var isPublic: Bool {
        guard isIPv6 else { return !Self.nonPublicIPv4.contains { $0.contains(bytes) } }
        if let embedded { return embedded.isPublic }
        return Self.globalIPv6.contains(bytes) && !Self.nonPublicIPv6.contains { $0.contains(bytes) }
    }

    /// The IPv4 address inside a mapped, translated (NAT64) or tunneled (6to4) IPv6 address.
    private var embedded: NetworkAddress? {
        if Self.mapped.contains(bytes) || Self.translated.contains(bytes) {
            return NetworkAddress(bytes: Array(bytes.suffix(4)))
        }
        return Self.tunneled.contains(bytes) ? NetworkAddress(bytes: Array(bytes[2..<6])) : nil
    }

    private struct Block {
        let base: [UInt8]
        let length: Int

        /// - Parameters:
        ///   - bytes: The first bytes of the block. All further bytes are 0.
        ///   - length: The length of the prefix in bits.
        init(_ bytes: [UInt8], _ length: Int) {
            base = bytes
            self.length = length
        }

        func contains(_ address: [UInt8]) -> Bool {
            (0..<length).allSatisfy { bit in
                let mask = UInt8(0x80) >> UInt8(bit % 8)
                let baseByte = bit / 8 < base.count ? base[bit / 8] : 0
                return baseByte & mask == address[bit / 8] & mask
            }
        }
    }

    /// The IANA registry's ranges of special-purpose addresses, and the multicast and reserved ranges.
    private static let nonPublicIPv4 = [
        Block([0], 8), Block([10], 8), Block([100, 64], 10), Block([127], 8), Block([169, 254], 16),
        Block([172, 16], 12), Block([192, 0, 0], 24), Block([192, 0, 2], 24), Block([192, 88, 99], 24),
        Block([192, 168], 16), Block([198, 18], 15), Block([198, 51, 100], 24), Block([203, 0, 113], 24),
        Block([224], 4), Block([240], 4),
    ]

    /// All other IPv6 addresses are loopback, local, multicast, deprecated or unassigned.
    private static let globalIPv6 = Block([0x20], 3)
    private static let nonPublicIPv6 = [
        // Protocol assignments with Teredo and benchmarking; the old and the new documentation range.
        Block([0x20, 0x01, 0, 0], 23), Block([0x20, 0x01, 0x0d, 0xb8], 32), Block([0x3f, 0xff], 20),
    ]
    private static let mapped = Block([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96)
    private static let translated = Block([0, 0x64, 0xff, 0x9b], 96)
    private static let tunneled = Block([0x20, 0x02], 16)
}
