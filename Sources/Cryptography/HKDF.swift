/// HKDF (RFC 5869), which derives keys for several purposes from one secret.
public enum HKDF {
    /// Derives `count` bytes, at most 255 × 32.
    public static func sha256(key: [UInt8], salt: [UInt8], info: [UInt8], count: Int = 32) -> [UInt8] {
        precondition(1...(255 * HMACSHA256.byteCount) ~= count, "HKDF yields from 1 to 8160 bytes.")
        let zeros = [UInt8](repeating: 0, count: HMACSHA256.byteCount)
        let expander = HMACSHA256(key: HMACSHA256.authenticate(key, key: salt.isEmpty ? zeros : salt))
        var output: [UInt8] = []
        var block: [UInt8] = []
        var counter: UInt8 = 0
        while output.count < count {
            counter += 1
            block = expander.authenticate(block + info + [counter])
            output += block
        }
        return Array(output.prefix(count))
    }

    public static func sha256(key: [UInt8], salt: [UInt8], info: String, count: Int = 32) -> [UInt8] {
        sha256(key: key, salt: salt, info: Array(info.utf8), count: count)
    }
}
