import CZlib
import HTTPTypes
import NIOCore

/// Compresses response bodies with gzip (RFC 1952), which every browser accepts.
public enum Gzip {
    /// Shorter bodies are not compressed, because the header costs more than is saved.
    private static let minBytes = 512

    /// Whether `Accept-Encoding` lists gzip with a quality above 0.
    public static func isAccepted(by headers: HTTPFields) -> Bool {
        guard let codings = PreferenceList.read(headers[.acceptEncoding]) else { return false }
        return codings.split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return parts.first == "gzip" && quality > 0
        }
    }

    /// Nil for a body that is too short, or if zlib runs out of memory. The body is then sent uncompressed.
    public static func compress(_ bytes: ByteBuffer, level: Int32 = 6) -> ByteBuffer? {
        guard bytes.readableBytes >= minBytes else { return nil }
        // The largest window, plus 16 for gzip's header and checksum.
        return deflate(Array(bytes.readableBytesView), level: level, windowBits: 15 + 16, flush: Z_FINISH)
            .map { ByteBuffer(bytes: $0) }
    }

    /// A part of a raw deflate stream (RFC 1951) that refers to no other part. Nil if zlib runs out of memory.
    ///
    /// - Parameter isLast: Whether the stream ends with this part. Otherwise the part ends with a whole byte, so that
    ///   others can follow.
    public static func deflate(_ bytes: [UInt8], isLast: Bool) -> [UInt8]? {
        deflate(bytes, level: 6, windowBits: -15, flush: isLast ? Z_FINISH : Z_SYNC_FLUSH)
    }

    /// The CRC-32 of the bytes.
    public static func checksum(_ bytes: [UInt8]) -> UInt { crc32(0, bytes, uInt(bytes.count)) }

    private static func deflate(_ bytes: [UInt8], level: Int32, windowBits: Int32, flush: Int32) -> [UInt8]? {
        var stream = z_stream()
        // 8 is the default memory level.
        let status = deflateInit2_(
            &stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        // A flush adds an empty block to what `deflateBound` counts.
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(input.count))) + 16)
        // zlib uses these pointers only during the call of `deflate`.
        let result = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = uInt(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = uInt(target.count)
                return CZlib.deflate(&stream, flush)
            }
        }
        guard result == (flush == Z_FINISH ? Z_STREAM_END : Z_OK), stream.avail_in == 0 else { return nil }
        return Array(output.prefix(Int(stream.total_out)))
    }
}
