import Foundation

@testable import Images

extension FuzzTarget {
    /// Images: the header that is read without decoding matches the decoded picture. A cleaned image is small, clean
    /// and of the same format, and it keeps its size when it is cleaned again.
    static let images: Run = { input in
        let bytes = input.array
        _ = Orientation(exif: bytes[...])
        guard let format = ImageFormat(of: bytes), let header = header(bytes, format) else { return }
        // Decoding megapixels would take longer than all other runs together.
        guard (try? header.check()) != nil, header.width * header.height <= 40_000 else { return }
        guard let image = try? ImageCleaner.clean(bytes) else { return }
        let sides = header.orientation.swapsSides ? (header.height, header.width) : (header.width, header.height)
        law(image.format == format, "A cleaned image keeps its format.")
        law(max(image.width, image.height) <= ImageCleaner.longestSide, "A cleaned image has no side beyond the limit.")
        law(
            max(header.width, header.height) > ImageCleaner.longestSide || (image.width, image.height) == sides,
            "A small image keeps its size.")
        guard let again = try? ImageCleaner.clean(image.bytes) else {
            return law(false, "A cleaned image is accepted.")
        }
        law((again.width, again.height) == (image.width, image.height), "A cleaned image keeps its size.")
        checkMetadata(image)
    }

    private static func header(_ bytes: [UInt8], _ format: ImageFormat) -> ImageHeader? {
        switch format {
        case .jpeg: try? JPEGFile(bytes).header()
        case .png: try? PNGFile(bytes).header
        case .webp: try? WebPFile(bytes).header
        }
    }

    private static func checkMetadata(_ image: CleanImage) {
        law(header(image.bytes, image.format)?.orientation == .upright, "A cleaned image is upright.")
        switch image.format {
        case .jpeg: law((try? JPEGFile(image.bytes).comments) == [], "A cleaned photo has no comments.")
        case .png:
            let types = ["tEXt", "zTXt", "iTXt", "eXIf", "tIME", "iCCP"]
            law(types.allSatisfy { !contains($0, image.bytes) }, "A cleaned picture has no metadata.")
        case .webp: law(!contains("XMP ", image.bytes), "A cleaned picture has no metadata.")
        }
    }

    /// Whether this chunk type occurs among the first 64 bytes.
    private static func contains(_ type: String, _ bytes: [UInt8]) -> Bool {
        let prefix = bytes.prefix(64)
        return prefix.indices.contains { prefix[$0...].starts(with: type.utf8) }
    }
}
