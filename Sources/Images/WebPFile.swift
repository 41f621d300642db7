/// Reads the chunks of a WebP file without decoding it.
struct WebPFile {
    let header: ImageHeader

    init(_ bytes: [UInt8]) throws(ImageFault) {
        let whole = ByteReader(bytes)
        let reader = ByteReader(try whole.slice(0, 8 + whole.littleEndian(4, 4)))
        var canvas: ImageHeader?
        var frame: ImageHeader?
        var orientation = Orientation.upright
        var offset = 12
        // A chunk has its type, length and data, with a byte of padding after an odd length.
        while offset < reader.count {
            let length = try reader.littleEndian(offset + 4, 4)
            let chunk = ByteReader(try reader.slice(offset + 8, length))
            if reader.has("VP8X", at: offset) {
                // Bit 1 of the flags marks an animation.
                guard try chunk.byte(0) & 0b10 == 0 else { throw .notAnImage }
                canvas = ImageHeader(width: try chunk.littleEndian(4, 3) + 1, height: try chunk.littleEndian(7, 3) + 1)
            } else if frame == nil, reader.has("VP8 ", at: offset) {
                frame = try Self.lossy(chunk)
            } else if frame == nil, reader.has("VP8L", at: offset) {
                frame = try Self.lossless(chunk)
            } else if reader.has("EXIF", at: offset) {
                orientation = Orientation(exif: chunk.bytes)
            } else if reader.has("ANMF", at: offset) {
                throw .notAnImage
            }
            offset += 8 + length + length % 2
        }
        guard var header = frame, canvas == nil || canvas == header else { throw .notAnImage }
        header.orientation = orientation
        self.header = header
    }

    /// A VP8 frame: three bytes whose lowest bit is 0 in a key frame, the start code, then width and height in 14 bits
    /// each, below two bits of scaling (RFC 6386, section 9.1).
    private static func lossy(_ chunk: ByteReader) throws(ImageFault) -> ImageHeader {
        guard try chunk.byte(0) & 1 == 0, try chunk.bigEndian(3, 3) == 0x9d012a else { throw .notAnImage }
        return ImageHeader(width: try chunk.littleEndian(6, 2) & 0x3fff, height: try chunk.littleEndian(8, 2) & 0x3fff)
    }

    /// A VP8L stream: its signature, then width and height minus one in 14 bits each (RFC 9649, section 3.4).
    private static func lossless(_ chunk: ByteReader) throws(ImageFault) -> ImageHeader {
        guard try chunk.byte(0) == 0x2f else { throw .notAnImage }
        let sides = try chunk.littleEndian(1, 4)
        return ImageHeader(width: sides & 0x3fff + 1, height: sides >> 14 & 0x3fff + 1)
    }
}
