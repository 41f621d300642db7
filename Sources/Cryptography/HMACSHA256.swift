import CSodium

/// HMAC-SHA-256 (RFC 2104) with one key. The key blocks are hashed once and reused for every message.
public struct HMACSHA256: Sendable {
    public static let byteCount = SHA256.byteCount
    private let inner: SHA256
    private let outer: SHA256

    public init(key: [UInt8]) {
        var block = [UInt8](repeating: 0, count: SHA256.blockByteCount)
        if key.count > block.count {
            var hash = SHA256()
            hash.update(key)
            hash.end(into: &block)
        } else {
            block.replaceSubrange(..<key.count, with: key)
        }
        inner = Self.start(&block, pad: 0x36)
        // Also removes the inner pad.
        outer = Self.start(&block, pad: 0x36 ^ 0x5c)
        sodium_memzero(&block, block.count)
    }

    /// The authentication code of one message.
    public func authenticate(_ message: some Collection<UInt8>) -> [UInt8] {
        var hash = inner
        hash.update(message)
        return finish(&hash)
    }

    /// The authentication code of several parts. Each part is prefixed with its length in eight big-endian bytes, so
    /// that different lists of parts have different codes.
    public func authenticate(parts: [[UInt8]]) -> [UInt8] {
        var hash = inner
        for part in parts {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { hash.update($0) }
            hash.update(part)
        }
        return finish(&hash)
    }

    public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        HMACSHA256(key: key).authenticate(message)
    }

    public static func authenticate(parts: [[UInt8]], key: [UInt8]) -> [UInt8] {
        HMACSHA256(key: key).authenticate(parts: parts)
    }

    /// The state after the key's block. Changes the block in place, so that no copy of the key stays in memory.
    private static func start(_ block: inout [UInt8], pad: UInt8) -> SHA256 {
        for index in block.indices { block[index] ^= pad }
        var hash = SHA256()
        hash.update(block)
        return hash
    }

    private func finish(_ hash: inout SHA256) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: Self.byteCount)
        hash.end(into: &code)
        var hash = outer
        hash.update(code)
        hash.end(into: &code)
        return code
    }
}
