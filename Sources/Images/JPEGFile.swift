/// Reads the segments of a JPEG file without decoding it.
///
/// Up to the first scan, parsing is stricter than in libjpeg, which skips invalid bytes in search of a marker. The
/// frame found here is therefore the one that libjpeg decodes.
struct JPEGFile {
    /// A progressive image has about ten scans. Each costs work for every pixel, even if it has only a few bytes, and
    /// thousands of such scans would fit into a small file.
    static let maxScans = 40

    private(set) var frame: ImageHeader?
    private(set) var orientation: Orientation?
    private(set) var scans = 0
    /// The byte ranges of comments.
    private(set) var comments: [Range<Int>] = []

    init(_ bytes: [UInt8]) throws(ImageFault) {
        let reader = ByteReader(bytes)
        var offset = 2
        while true {
            guard try reader.byte(offset) == 0xff else { throw .notAnImage }
            let start = offset
            while try reader.byte(offset) == 0xff { offset += 1 }
            let marker = try reader.byte(offset)
            offset += 1
            switch marker {
            // EOI.
            case 0xd9:
                guard scans > 0 else { throw .notAnImage }
                return
            // A stuffed byte; SOI.
            case 0x00, 0xd8: throw .notAnImage
            // TEM and RST0 to RST7 have no segment.
            case 0x01, 0xd0...0xd7: continue
            default: break
            }
            let length = try reader.bigEndian(offset, 2)
            guard length >= 2 else { throw .notAnImage }
            let segment = ByteReader(try reader.slice(offset + 2, length - 2))
            offset += length
            try process(marker, segment)
            // COM and SOS.
            if marker == 0xfe { comments.append(start..<offset) }
            if marker == 0xda { try Self.skipScan(reader, &offset) }
        }
    }

    private mutating func process(_ marker: UInt8, _ segment: ByteReader) throws(ImageFault) {
        switch marker {
        // DHT, JPG and DAC are not frames.
        case 0xc4, 0xc8, 0xcc: return
        // SOF: the precision, then the height and the width, two bytes each.
        case 0xc0...0xcf:
            guard frame == nil else { throw .notAnImage }
            frame = ImageHeader(width: try segment.bigEndian(3, 2), height: try segment.bigEndian(1, 2))
        // APP1.
        case 0xe1 where segment.has("Exif\0\0", at: 0) && orientation == nil:
            orientation = Orientation(exif: segment.bytes)
        // SOS.
        case 0xda:
            scans += 1
            guard frame != nil, scans <= Self.maxScans else { throw .notAnImage }
        default: return
        }
    }

    /// Skips to the marker that ends the scan's data. A truncated file has none.
    private static func skipScan(_ reader: ByteReader, _ offset: inout Int) throws(ImageFault) {
        while true {
            if try reader.byte(offset) == 0xff {
                switch try reader.byte(offset + 1) {
                // A stuffed byte, or a restart marker within the scan.
                case 0x00, 0xd0...0xd7: offset += 1
                // A fill byte.
                case 0xff: break
                default: return
                }
            }
            offset += 1
        }
    }

    func header() throws(ImageFault) -> ImageHeader {
        guard var header = frame else { throw .notAnImage }
        header.orientation = orientation ?? .upright
        return header
    }

    /// The file without its comments.
    func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for comment in comments {
            result += bytes[end..<comment.lowerBound]
            end = comment.upperBound
        }
        return result + bytes[end...]
    }
}
