/// Reads the chunks of a PNG file without decoding it.
struct PNGFile {
    static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    /// The chunks that define the pixels. All others may be left out.
    private static let pixelChunks = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]

    let header: ImageHeader
    /// The file without texts, profiles and times. libpng would decompress these, and log warnings to standard error.
    let decoderInput: [UInt8]

    init(_ bytes: [UInt8]) throws(ImageFault) {
        let reader = ByteReader(bytes)
        guard reader.has("IHDR", at: 12), try reader.bigEndian(8, 4) == 13 else { throw .notAnImage }
        var header = ImageHeader(width: try reader.bigEndian(16, 4), height: try reader.bigEndian(20, 4))
        var decoderInput = Self.signature
        var offset = Self.signature.count
        // A chunk has its length, type, data and checksum. The length is that of the data.
        while true {
            let length = try reader.bigEndian(offset, 4)
            let chunk = try reader.slice(offset, 12 + length)
            let type = String(decoding: try reader.slice(offset + 4, 4), as: UTF8.self)
            if Self.pixelChunks.contains(type) { decoderInput += chunk }
            if type == "eXIf" { header.orientation = Orientation(exif: try reader.slice(offset + 8, length)) }
            if type == "IEND" { break }
            offset += 12 + length
        }
        self.header = header
        self.decoderInput = decoderInput
    }
}
