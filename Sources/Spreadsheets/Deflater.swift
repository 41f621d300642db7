import CZlib

/// Raw DEFLATE (RFC 1951) a piece at a time, by zlib.
///
/// A class, since zlib's state must stay where it is and be given back once.
final class Deflater {
    private static let room = 32 * 1024

    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutablePointer<UInt8>

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(capacity: Self.room)
        // Negative: neither zlib's header nor its checksum, as ZIP wants it.
        let code = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, zlibVersion(),
            Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib has no memory")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Adds what can be told of the bytes so far; the last piece ends the stream, and the next one begins another.
    func deflate(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, into result: inout [UInt8]) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = uInt(bytes.count)
        var produced: Int
        repeat {
            stream.pointee.next_out = output
            stream.pointee.avail_out = uInt(Self.room)
            CZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
            produced = Self.room - Int(stream.pointee.avail_out)
            result.append(contentsOf: UnsafeBufferPointer(start: output, count: produced))
        } while produced == Self.room
        if isLast { deflateReset(stream) }
    }

    /// CRC-32 as ZIP has it, continued from that of the bytes before.
    static func checksum(_ bytes: UnsafeBufferPointer<UInt8>, after before: UInt32) -> UInt32 {
        // To zlib no bytes at all mean a new checksum.
        guard bytes.count > 0 else { return before }
        return UInt32(truncatingIfNeeded: crc32(uLong(before), bytes.baseAddress, uInt(bytes.count)))
    }
}
