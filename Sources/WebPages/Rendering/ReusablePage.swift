import CZlib
import Cryptography
import NIOCore

/// A page that was rendered once and is sent to many visitors, with gaps for the values that are new in each response.
///
/// The text between the gaps is compressed once too. A gzip stream (RFC 1952) may consist of blocks that were
/// compressed separately, and the checksum of the whole is calculated from those of its parts. The values are in blocks
/// without compression (RFC 1951, 3.2.4), which have at most 65,535 bytes.
struct ReusablePage: Sendable {
    private struct Part: Sendable {
        var text: [UInt8]
        var deflated: [UInt8]
        var checksum: UInt

        init?(_ text: [UInt8], isLast: Bool) {
            guard let deflated = Gzip.deflate(text, isLast: isLast) else { return nil }
            (self.text, self.deflated, checksum) = (text, deflated, Gzip.checksum(text))
        }
    }

    /// The text before, between and after the gaps.
    private let parts: [Part]
    /// For each gap, the index of its value.
    private let gaps: [Int]
    /// The same for all pages with the same text between the same gaps.
    let digest: String

    /// Nil if zlib runs out of memory.
    ///
    /// - Parameter values: The values in `html` that are replaced by gaps. They are random, so that no other text
    ///   equals one of them.
    init?(_ html: String, replacing values: [String]) {
        var found: [(range: Range<String.Index>, value: Int)] = []
        for (index, value) in values.enumerated() { found += html.ranges(of: value).map { ($0, index) } }
        found.sort { $0.range.lowerBound < $1.range.lowerBound }
        var texts: [[UInt8]] = []
        var start = html.startIndex
        for (range, _) in found {
            texts.append(Array(html[start..<range.lowerBound].utf8))
            start = range.upperBound
        }
        texts.append(Array(html[start...].utf8))
        let parts = texts.indices.compactMap { Part(texts[$0], isLast: $0 == texts.count - 1) }
        guard parts.count == texts.count else { return nil }
        self.parts = parts
        gaps = found.map(\.value)
        digest = Base64URL.encode(Array(SHA256.hash(Array(texts.joined(separator: [0]))).prefix(16)))
    }

    /// The size of the page in memory.
    var byteCount: Int { parts.reduce(0) { $0 + $1.text.count + $1.deflated.count } }

    /// The page with these values in its gaps.
    func bytes(with values: [String]) -> ByteBuffer {
        var page = ByteBuffer()
        for (index, part) in parts.enumerated() {
            page.writeBytes(part.text)
            if index < gaps.count { page.writeString(values[gaps[index]]) }
        }
        return page
    }

    /// The page with these values in its gaps, as a gzip file.
    func gzip(with values: [String]) -> ByteBuffer {
        // The header without a name, a time or an operating system.
        var file = ByteBuffer(bytes: [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
        var (checksum, length): (UInt, Int) = (0, 0)
        func add(_ part: UInt, _ count: Int) {
            checksum = crc32_combine(checksum, part, count)
            length += count
        }
        for (index, part) in parts.enumerated() {
            file.writeBytes(part.deflated)
            add(part.checksum, part.text.count)
            guard index < gaps.count else { continue }
            let value = Array(values[gaps[index]].utf8)
            let count = UInt16(value.count)
            file.writeBytes([0])
            file.writeMultipleIntegers(count, ~count, endianness: .little)
            file.writeBytes(value)
            add(Gzip.checksum(value), value.count)
        }
        file.writeMultipleIntegers(UInt32(checksum), UInt32(truncatingIfNeeded: length), endianness: .little)
        return file
    }
}
