/// Reads the chunks of a WebP file without decoding it.
struct WebPFile {
    let header: ImageHeader

    init(_ bytes: [UInt8]) throws(ImageFault) {
        let whole = ByteReader(bytes)
        let reader = ByteReader(try whole.slice(0, 8 + whole.little(4, 4)))
        var canvas: ImageHeader?
        var frame: ImageHeader?
        var orientation = Orientation.upright
        var offset = 12
        while offset < reader.count {
            let length = try reader.little(offset + 4, 4)
            let chunk = ByteReader(try reader.slice(offset + 8, length))
            if reader.has("VP8X", at: offset) {
                // Bit 1 of the flags marks an animation.
                guard try chunk.byte(0) & 0b10 == 0 else { throw .notAnImage }
                canvas = ImageHeader(width: try chunk.little(4, 3) + 1, height: try chunk.little(7, 3) + 1)
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

    private static func lossy(_ chunk: ByteReader) throws(ImageFault) -> ImageHeader {
        guard try chunk.byte(0) & 1 == 0, try chunk.big(3, 3) == 0x9d012a else { throw .notAnImage }
        return ImageHeader(width: try chunk.little(6, 2) & 0x3fff, height: try chunk.little(8, 2) & 0x3fff)
    }

    private static func lossless(_ chunk: ByteReader) throws(ImageFault) -> ImageHeader {
        guard try chunk.byte(0) == 0x2f else { throw .notAnImage }
        let sides = try chunk.little(1, 4)
        return ImageHeader(width: sides & 0x3fff + 1, height: sides >> 14 & 0x3fff + 1)
    }
}
