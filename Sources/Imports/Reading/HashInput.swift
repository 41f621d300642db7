import Cryptography

/// Concatenates texts so that different lists of texts never result in the same bytes.
struct HashInput {
    private(set) var bytes: [UInt8] = []

    /// Appends the text's length in eight big-endian bytes, then the text. Nil is encoded as a length that no text has.
    mutating func append(_ text: String?) {
        guard var text else { return append(length: UInt64.max) }
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ part: UnsafeRawBufferPointer) {
        append(length: UInt64(part.count))
        bytes.append(contentsOf: part)
    }

    private mutating func append(length: UInt64) {
        withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
    }

    func digest() -> [UInt8] {
        SHA256.hash(bytes)
    }

    func hexDigest() -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
