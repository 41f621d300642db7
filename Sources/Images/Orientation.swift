/// The orientation of a photo (EXIF tag 274), as a mapping from the displayed to the stored pixels.
enum Orientation: Int, CaseIterable {
    case upright = 1
    case mirrored, upsideDown, flipped, transposed, turnedLeft, transversed, turnedRight

    /// Whether width and height are swapped.
    var swapsSides: Bool { rawValue >= 5 }

    /// The stored pixel, in a file of `width` × `height`, that is displayed at (`x`, `y`).
    func source(_ x: Int, _ y: Int, width: Int, height: Int) -> (x: Int, y: Int) {
        switch self {
        case .upright: (x, y)
        case .mirrored: (width - 1 - x, y)
        case .upsideDown: (width - 1 - x, height - 1 - y)
        case .flipped: (x, height - 1 - y)
        case .transposed: (y, x)
        case .turnedLeft: (y, height - 1 - x)
        case .transversed: (width - 1 - y, height - 1 - x)
        case .turnedRight: (width - 1 - y, x)
        }
    }
}

extension Orientation {
    private static let tag = 0x0112

    /// Reads the TIFF structure of EXIF, with or without the `Exif` prefix. Upright if the value is missing or invalid.
    init(exif: ArraySlice<UInt8>) {
        self = (try? Self.read(ByteReader(exif.starts(with: "Exif\0\0".utf8) ? exif.dropFirst(6) : exif))) ?? .upright
    }

    /// The file begins with the byte order, the number 42, and the offset of the first directory. A directory consists
    /// of the number of its entries, and twelve bytes for each entry: tag, type, count, value.
    private static func read(_ tiff: ByteReader) throws(ImageFault) -> Orientation? {
        let isLittle = tiff.has("II*\0", at: 0)
        guard isLittle || tiff.has("MM\0*", at: 0) else { return nil }
        func number(_ offset: Int, _ length: Int) throws(ImageFault) -> Int {
            isLittle ? try tiff.littleEndian(offset, length) : try tiff.bigEndian(offset, length)
        }
        let directory = try number(4, 4)
        for entry in 0..<(try number(directory, 2)) {
            let offset = directory + 2 + entry * 12
            if try number(offset, 2) == tag { return Orientation(rawValue: try number(offset + 8, 2)) }
        }
        return nil
    }
}
