import CZlib
import Cryptography
import HTTPServer
import NIOCore

/// A page that was rendered once and is sent to many visitors, with gaps for the values that are new in each response.
///
/// The text between the gaps is compressed once too. A gzip stream (RFC 1952) may consist of blocks that were
/// compressed separately, and the checksum of the whole is calculated from those of its parts. The values are in blocks
/// without compression (RFC 1951, 3.2.4), which have at most 65,535 bytes. A part cannot refer to another one, so a
/// page with many gaps is compressed as a whole for each response instead.
struct ReusablePage: Sendable {
    private struct Compressed: Sendable {
        var deflated: [UInt8]
        var checksum: UInt

        init?(_ text: [UInt8], isLast: Bool) {
            guard let deflated = Gzip.deflate(text, isLast: isLast) else { return nil }
            (self.deflated, checksum) = (deflated, Gzip.checksum(text))
        }
    }

    /// The largest number of gaps with which the parts are compressed separately.
    private static let maxGaps = 8

    /// The text before, between and after the gaps.
    private let texts: [[UInt8]]
    /// The same parts compressed. Empty for a page with many gaps.
    private let compressed: [Compressed]
    /// For each gap, the index of its value.
    private let gaps: [Int]

    /// Nil if zlib runs out of memory.
    ///
    /// - Parameter values: The values in `html` that are replaced by gaps. They are random and long, so that no other
    ///   text equals one of them.
    init?(_ html: String, replacing values: [String]) {
        let (texts, gaps) = Self.split(Array(html.utf8), at: values.map { Array($0.utf8) })
        self.texts = texts
        self.gaps = gaps
        guard gaps.count <= Self.maxGaps else {
            compressed = []
            return
        }
        compressed = texts.indices.compactMap { Compressed(texts[$0], isLast: $0 == texts.count - 1) }
        guard compressed.count == texts.count else { return nil }
    }

    /// The text between the values, and for each gap the index of its value. Bytes are compared, because a search in a
    /// string compares characters and would take as long as rendering.
    private static func split(_ html: [UInt8], at values: [[UInt8]]) -> (texts: [[UInt8]], gaps: [Int]) {
        var (texts, gaps): ([[UInt8]], [Int]) = ([], [])
        var (start, index) = (0, 0)
        var isFirstByte = [Bool](repeating: false, count: 256)
        for value in values { isFirstByte[Int(value[0])] = true }
        while index < html.count {
            guard isFirstByte[Int(html[index])],
                let valueIndex = values.firstIndex(where: { html[index...].starts(with: $0) })
            else {
                index += 1
                continue
            }
            texts.append(Array(html[start..<index]))
            gaps.append(valueIndex)
            index += values[valueIndex].count
            start = index
        }
        texts.append(Array(html[start...]))
        return (texts, gaps)
    }

    /// Computes a digest that is the same for all pages with the same text between their gaps.
    func digest() -> String {
        Base64URL.encode(Array(SHA256.hash(Array(texts.joined(separator: [0]))).prefix(16)))
    }

    /// The size of the page in memory.
    var byteCount: Int {
        texts.reduce(0) { $0 + $1.count } + compressed.reduce(0) { $0 + $1.deflated.count }
    }

    /// The page with these values in its gaps.
    func bytes(with values: [String]) -> ByteBuffer {
        var page = ByteBuffer()
        for (index, text) in texts.enumerated() {
            page.writeBytes(text)
            if index < gaps.count { page.writeString(values[gaps[index]]) }
        }
        return page
    }

    /// The page with these values in its gaps, as a gzip file. Nil for a short page with many gaps, or if zlib runs out
    /// of memory.
    func gzip(with values: [String]) -> ByteBuffer? {
        guard !compressed.isEmpty else { return Gzip.compress(bytes(with: values)) }
        // The header without a name, a time or an operating system.
        var file = ByteBuffer(bytes: [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
        var (checksum, length): (UInt, Int) = (0, 0)
        func add(_ part: UInt, _ count: Int) {
            checksum = crc32_combine(checksum, part, count)
            length += count
        }
        for (index, part) in compressed.enumerated() {
            file.writeBytes(part.deflated)
            add(part.checksum, texts[index].count)
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
