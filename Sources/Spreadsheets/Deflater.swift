import CZlib

/// An incremental raw DEFLATE encoder (RFC 1951) on zlib.
///
/// It is a class because zlib's state must not move and has to be freed once.
final class Deflater {
    private static let bufferSize = 32 * 1024

    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutablePointer<UInt8>

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(capacity: Self.bufferSize)
        // Level 2 is a third quicker than the default, for a file that is a fifth larger. Level 1 is not quicker for this
        // XML. A negative value omits zlib's header and checksum, as ZIP requires.
        let code = deflateInit2_(
            stream, 2, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, zlibVersion(),
            Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib has no memory")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Appends the compressed output available so far. The last piece ends the stream. The next call starts another.
    func deflate(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, into result: inout [UInt8]) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = uInt(bytes.count)
        var produced: Int
        repeat {
            stream.pointee.next_out = output
            stream.pointee.avail_out = uInt(Self.bufferSize)
            CZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
            produced = Self.bufferSize - Int(stream.pointee.avail_out)
            result.append(contentsOf: UnsafeBufferPointer(start: output, count: produced))
        } while produced == Self.bufferSize
        if isLast { deflateReset(stream) }
    }

    /// CRC-32 as in ZIP, continued from the previous bytes.
    static func checksum(_ bytes: UnsafeBufferPointer<UInt8>, after before: UInt32) -> UInt32 {
        // zlib's `crc32` starts a new checksum if it is passed a null pointer.
        guard bytes.count > 0 else { return before }
        return UInt32(truncatingIfNeeded: crc32(uLong(before), bytes.baseAddress, uInt(bytes.count)))
    }
}
