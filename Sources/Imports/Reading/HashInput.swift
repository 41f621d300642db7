import Cryptography

/// Texts laid end to end so that no two lists of texts give the same bytes.
struct HashInput {
    private(set) var bytes: [UInt8] = []

    /// A part is its length in eight big-endian bytes, then itself; nothing is marked by a length that no text has.
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
