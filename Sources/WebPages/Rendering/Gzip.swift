import CZlib
import HTTPTypes
import NIOCore

/// Bodies in the encoding that every browser takes (RFC 1952).
enum Gzip {
    /// Below this the head costs more than is saved.
    private static let least = 512

    static func isTaken(by headers: HTTPFields) -> Bool {
        (headers[.acceptEncoding] ?? "").split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " } }
            return parts.first?.lowercased() == "gzip" && !parts.dropFirst().contains { $0 == "q=0" || $0 == "q=0.0" }
        }
    }

    /// Nil where it is not worth it, or zlib has no memory: then the bytes go as they are.
    static func pack(_ bytes: ByteBuffer, level: Int32 = 6) -> ByteBuffer? {
        guard bytes.readableBytes >= least else { return nil }
        var stream = z_stream()
        // 31: the largest window, and gzip's head and checksum.
        let begun = deflateInit2_(
            &stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard begun == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = Array(bytes.readableBytesView)
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(input.count))))
        // zlib reads and writes within these calls only.
        let ended = input.withUnsafeMutableBufferPointer { from in
            output.withUnsafeMutableBufferPointer { to in
                stream.next_in = from.baseAddress
                stream.avail_in = uInt(from.count)
                stream.next_out = to.baseAddress
                stream.avail_out = uInt(to.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard ended == Z_STREAM_END else { return nil }
        return ByteBuffer(bytes: output.prefix(Int(stream.total_out)))
    }
}
