import CSodium

/// Cryptographically secure random bytes.
public enum RandomBytes {
    public static func make(_ count: Int) -> [UInt8] {
        Sodium.start()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let base = buffer.baseAddress { randombytes_buf(base, count) }
            initialized = count
        }
    }
}
