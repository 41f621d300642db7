import CSodium

/// SHA-256 (FIPS 180-4), in one call or incrementally.
public struct SHA256: Sendable {
    public static let byteCount = 32
    private var state = crypto_hash_sha256_state()

    public init() {
        crypto_hash_sha256_init(&state)
    }

    public mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
        crypto_hash_sha256_update(&state, bytes.baseAddress, UInt64(bytes.count))
    }

    public mutating func update(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { update($0) }
        if done == nil { Array(bytes).withUnsafeBufferPointer { update($0) } }
    }

    /// The hash of the bytes so far. More may follow.
    public func finish() -> [UInt8] {
        var copy = state
        var output = [UInt8](repeating: 0, count: Self.byteCount)
        crypto_hash_sha256_final(&copy, &output)
        return output
    }

    public static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }
}
