import Foundation

/// Ids that sort by the time of creation (RFC 9562, section 5.7). They are used for rows that hosts and admins create,
/// but never for submissions.
public enum UUIDv7 {
    /// Layout: 48 bits of milliseconds since 1970, 4 bits of version, 12 random bits, 2 bits of variant, 62 random
    /// bits.
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
    /// The first 16 of these random bytes, except for the six bits of version and variant.
    public static func make(_ random: [UInt8]) -> UUID {
        precondition(random.count >= 16, "A UUID needs at least 16 random bytes.")
        let (high, low) = random.withUnsafeBytes { $0.loadUnaligned(as: (UInt64, UInt64).self) }
        return UUID(high: high, low: low, version: 4)
    }
}

/// Ids that are derived from a hash (RFC 9562, section 5.8). They have no order. Equal hashes result in equal ids.
public enum UUIDv8 {
    /// The first 16 bytes of a hash, except for the six bits of version and variant.
    public static func make(_ hash: [UInt8]) -> UUID {
        precondition(hash.count >= 16, "A UUID needs at least 16 bytes of a hash.")
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
