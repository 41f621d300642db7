import CSodium

/// HMAC-SHA-256 (RFC 2104) with one key. The key blocks are hashed once and reused for every message.
public struct HMACSHA256: Sendable {
    public static let byteCount = 32
    private let keyed: crypto_auth_hmacsha256_state

    public init(key: [UInt8]) {
        var state = crypto_auth_hmacsha256_state()
        crypto_auth_hmacsha256_init(&state, key, key.count)
        keyed = state
    }

    /// The authentication code of one message.
    public func authenticate(_ message: some Collection<UInt8>) -> [UInt8] {
        var state = keyed
        Self.update(&state, message)
        return Self.finish(&state)
    }

    /// The authentication code of several parts. Each part is prefixed with its length in eight big-endian bytes, so
    /// that different lists of parts have different codes.
    public func authenticate(parts: [[UInt8]]) -> [UInt8] {
        var state = keyed
        for part in parts {
            Self.update(&state, (0..<8).map { UInt8(truncatingIfNeeded: part.count >> (56 - 8 * $0)) })
            Self.update(&state, part)
        }
        return Self.finish(&state)
    }

    public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        HMACSHA256(key: key).authenticate(message)
    }

    public static func authenticate(parts: [[UInt8]], key: [UInt8]) -> [UInt8] {
        HMACSHA256(key: key).authenticate(parts: parts)
    }

    private static func update(_ state: inout crypto_auth_hmacsha256_state, _ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable {
            _ = crypto_auth_hmacsha256_update(&state, $0.baseAddress, UInt64($0.count))
        }
        if done == nil { update(&state, Array(bytes)) }
    }

    private static func finish(_ state: inout crypto_auth_hmacsha256_state) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: byteCount)
        crypto_auth_hmacsha256_final(&state, &output)
        return output
    }
}
