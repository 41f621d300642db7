/// What kinds of image are taken, and what they are called.
public enum ImageFormat: String, Sendable, CaseIterable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webp = "image/webp"

    public var mediaType: String { rawValue }

    /// By the first bytes; nil for everything else.
    init?(of bytes: [UInt8]) {
        if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if bytes.starts(with: PNGFile.signature) {
            self = .png
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}

/// What a file says of its image before anything is decoded.
struct ImageHeader: Equatable {
    /// The longest side that is decoded.
    static let longestSide = 10_000
    /// 96 MiB of memory once decoded, and as much again on the way.
    static let mostPixels = 24_000_000

    var width: Int
    var height: Int
    var orientation = Orientation.upright

    /// Throws for images that are empty, or so large that a small file would fill the memory.
    func check() throws(ImageFault) {
        guard width > 0, height > 0 else { throw .notAnImage }
        guard max(width, height) <= Self.longestSide, width * height <= Self.mostPixels else { throw .tooManyPixels }
    }
}

/// An image made anew: nothing of the file that was sent is in it but its pixels.
public struct CleanImage: Sendable, Equatable {
    public var format: ImageFormat
    public var bytes: [UInt8]
    public var width: Int
    public var height: Int

    public var mediaType: String { format.mediaType }
}

/// Why a file is not taken as an image; the raw value is the code that an answer shows.
public enum ImageFault: String, Error, Sendable, Equatable {
    /// Neither JPEG nor PNG nor WebP by its content, or broken, cut off or animated.
    case notAnImage = "not-an-image"
    /// More pixels than are decoded, whatever the size of the file.
    case tooManyPixels = "too-many-pixels"
    /// Too many images wait already; the same file may be sent again later.
    case overloaded
}
