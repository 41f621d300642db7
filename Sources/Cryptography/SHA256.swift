import CCrypto
import CSodium

/// SHA-256 (FIPS 180-4), in one call or incrementally.
///
/// Uses libcrypto, because libsodium's SHA-256 does not use the CPU's instructions for SHA-256.
public struct SHA256: Sendable {
    public static let byteCount = 32
    /// The number of input bytes of one compression.
    static let blockByteCount = 64
    private var state = SHA256_CTX()

    public init() {
        SHA256_Init(&state)
    }

    public mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
        SHA256_Update(&state, bytes.baseAddress, bytes.count)
    }

    public mutating func update(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { update($0) }
        if done == nil { Array(bytes).withUnsafeBufferPointer { update($0) } }
    }

    /// The hash of the bytes so far. More bytes may follow.
    public func finish() -> [UInt8] {
        var copy = self
        var output = [UInt8](repeating: 0, count: Self.byteCount)
        copy.end(into: &output)
        return output
    }

    /// Writes the hash, `byteCount` bytes. Nothing may follow: the state is erased, because it may come from a key.
    mutating func end(into output: UnsafeMutablePointer<UInt8>) {
        SHA256_Final(output, &state)
        sodium_memzero(&state, MemoryLayout<SHA256_CTX>.size)
    }

    public static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }
}
