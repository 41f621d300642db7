import CZlib
import Cryptography

/// An uploaded file as a field of the forms that follow, compressed. The file goes back to its browser with each page, so
/// that nothing is stored until it is imported, and any instance can take the next step.
struct PackedFile: Sendable {
    /// The size of the largest file.
    static let maxBytes = 8 << 20
    /// Room for the largest file that does not compress, with the other fields of its form.
    static let maxFormBytes = 12 << 20

    var name: String
    var bytes: [UInt8]

    init(name: String, bytes: [UInt8]) {
        (self.name, self.bytes) = (name, bytes)
    }

    /// Nil if the text is not one of `packed`.
    init?(packed text: String, name: String) {
        let parts = text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let count = Int(parts[0]), 0...Self.maxBytes ~= count,
            let packed = Base64URL.decode(parts[1])
        else { return nil }
        var size = uLongf(count)
        // One byte more, because zlib refuses an empty target.
        var bytes = [UInt8](repeating: 0, count: count + 1)
        guard uncompress(&bytes, &size, packed, uLong(packed.count)) == Z_OK, size == count else { return nil }
        bytes.removeLast()
        self.init(name: name, bytes: bytes)
    }

    /// The number of bytes, and the compressed bytes as base64url. Nil if zlib runs out of memory.
    var packed: String? {
        var size = compressBound(uLong(bytes.count))
        var target = [UInt8](repeating: 0, count: Int(size))
        guard compress2(&target, &size, bytes, uLong(bytes.count), Z_BEST_SPEED) == Z_OK else { return nil }
        return "\(bytes.count).\(Base64URL.encode(Array(target.prefix(Int(size)))))"
    }

    /// Whether the file is a workbook or another archive instead of CSV.
    var isArchive: Bool {
        bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0])
    }
}
