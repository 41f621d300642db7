import StrictJSON

/// Strict percent-decoding: two hexadecimal digits after every `%`, and valid UTF-8 as the result.
public enum PercentEncoding {
    /// Returns nil for invalid escapes, invalid UTF-8, U+0000, which no stored text may contain, and too many combining
    /// marks in a row (``StreamSafeText``).
    static func decode(_ encoded: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var index = encoded.startIndex
        while index != encoded.endIndex {
            var byte = encoded[index]
            encoded.formIndex(after: &index)
            if byte == UInt8(ascii: "%") {
                guard let high = digit(encoded, &index), let low = digit(encoded, &index) else { return nil }
                byte = high << 4 | low
            } else if byte == UInt8(ascii: "+"), plusIsSpace {
                byte = UInt8(ascii: " ")
            }
            if byte == 0 { return nil }
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self).flatMap { StreamSafeText.isSafe($0) ? $0 : nil }
    }

    private static func digit<Bytes: Collection<UInt8>>(_ bytes: Bytes, _ index: inout Bytes.Index) -> UInt8? {
        guard index != bytes.endIndex else { return nil }
        defer { bytes.formIndex(after: &index) }
        return digit(bytes[index])
    }

    /// The value of a hexadecimal digit in ASCII; nil for any other byte.
    public static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
