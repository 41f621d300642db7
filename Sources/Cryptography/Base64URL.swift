/// base64url without padding (RFC 4648, section 5).
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = alphabet.enumerated().reduce(into: [UInt8](repeating: .max, count: 256)) {
        $0[Int($1.element)] = UInt8($1.offset)
    }

    /// Whether a byte belongs to the alphabet.
    public static func isDigit(_ character: UInt8) -> Bool { values[Int(character)] < 64 }

    public static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var length = 0
            var buffer: UInt32 = 0
            var bits = 0
            for byte in bytes {
                buffer = buffer << 8 | UInt32(byte)
                bits += 8
                while bits >= 6 {
                    bits -= 6
                    text[length] = alphabet[Int(buffer >> bits & 63)]
                    length += 1
                }
            }
            if bits > 0 {
                text[length] = alphabet[Int(buffer << (6 - bits) & 63)]
                length += 1
            }
            return length
        }
    }

    /// Returns nil for padding, invalid characters, an impossible length, and trailing bits that are not zero, so that
    /// each value has exactly one encoding.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        for character in text.utf8 {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        guard bits < 6, buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }
}
