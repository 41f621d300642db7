import Foundation

/// Ids that sort by the time of creation (RFC 9562, section 5.7): for rows that hosts and admins create, never for
/// submissions.
public enum UUIDv7 {
    /// 48 bits of milliseconds since 1970, 74 bits of the random numbers given.
    public static func make(now: Date, random: (UInt64, UInt64)) -> UUID {
        let milliseconds = UInt64(max(0, now.timeIntervalSince1970 * 1000)) & 0xFFFF_FFFF_FFFF
        return UUID(high: milliseconds << 16 | random.0 & 0xFFFF, low: random.1, version: 7)
    }

    public static func make(now: Date) -> UUID {
        make(now: now, random: (.random(in: 0 ... .max), .random(in: 0 ... .max)))
    }
}

/// Random ids (RFC 9562, section 5.4). `UUID()` opens `/dev/urandom` for each, which would slow down requests.
public enum UUIDv4 {
    public static func make() -> UUID {
        UUID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max), version: 4)
    }
}

/// Ids made from a hash (RFC 9562, section 5.8): unordered, and the same whenever they are derived again.
public enum UUIDv8 {
    /// The first 16 bytes of a hash, except for the six bits of version and variant.
    public static func make(_ hash: [UInt8]) -> UUID {
        precondition(hash.count >= 16, "A UUID takes 16 bytes of a hash.")
        var bytes = hash.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
        bytes.6 = bytes.6 & 0x0F | 0x80
        bytes.8 = bytes.8 & 0x3F | 0x80
        return UUID(uuid: bytes)
    }
}

extension UUID {
    fileprivate init(high: UInt64, low: UInt64, version: UInt64) {
        let top = (high & ~0xF000 | version << 12).bigEndian
        let bottom = (low & ~(0b11 << 62) | 0b10 << 62).bigEndian
        self = withUnsafeBytes(of: (top, bottom)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
