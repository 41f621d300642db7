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

/// A cryptographically secure generator that makes no system call for each number, unlike `SystemRandomNumberGenerator`.
public struct SecureRandom: RandomNumberGenerator {
    public init() {}

    public mutating func next() -> UInt64 {
        Sodium.start()
        var number: UInt64 = 0
        randombytes_buf(&number, MemoryLayout<UInt64>.size)
        return number
    }
}
