import CZlib
import HTTPTypes
import NIOCore

/// Compresses response bodies with gzip (RFC 1952), which every browser accepts.
enum Gzip {
    /// Shorter bodies are not compressed, because the header costs more than is saved.
    private static let minBytes = 512

    /// Whether `Accept-Encoding` lists gzip, unless with the quality 0.
    static func isAccepted(by headers: HTTPFields) -> Bool {
        (headers[.acceptEncoding] ?? "").split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " } }
            return parts.first?.lowercased() == "gzip" && !parts.dropFirst().contains { $0 == "q=0" || $0 == "q=0.0" }
        }
    }

    /// Nil for a body that is too short, or if zlib runs out of memory. The body is then sent uncompressed.
    static func compress(_ bytes: ByteBuffer, level: Int32 = 6) -> ByteBuffer? {
        guard bytes.readableBytes >= minBytes else { return nil }
        var stream = z_stream()
        // Window bits: 15 for the largest window, plus 16 for gzip's header and checksum. 8 is the default memory
        // level.
        let status = deflateInit2_(
            &stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = Array(bytes.readableBytesView)
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(input.count))))
        // zlib uses these pointers only during the call of `deflate`.
        let result = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = uInt(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = uInt(target.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END else { return nil }
        return ByteBuffer(bytes: output.prefix(Int(stream.total_out)))
    }
}
