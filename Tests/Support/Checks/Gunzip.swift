import CZlib

/// Decompresses gzip files (RFC 1952) that contain at most a megabyte.
public enum Gunzip {
    /// The text, after a check of its checksum and length; nil for an incomplete or damaged file.
    public static func text(_ file: [UInt8]) -> String? {
        var stream = z_stream()
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        var (input, output) = (file, [UInt8](repeating: 0, count: 1 << 20))
        let status = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = uInt(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = uInt(target.count)
                return inflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END, stream.avail_in == 0 else { return nil }
        return String(decoding: output.prefix(Int(stream.total_out)), as: UTF8.self)
    }
}
