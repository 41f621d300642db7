/// The supported formats, with their media types.
public enum ImageFormat: String, Sendable, CaseIterable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webp = "image/webp"

    public var mediaType: String { rawValue }

    /// Detects the format from the first bytes.
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

/// The properties of an image that are known before decoding.
struct ImageHeader: Equatable {
    /// The maximum length of each side, in pixels.
    static let longestSide = 10_000
    /// 96 MB when decoded, and as much again during processing.
    static let maxPixels = 24_000_000

    var width: Int
    var height: Int
    var orientation = Orientation.upright

    /// Throws if the image is empty, or too large to decode.
    func check() throws(ImageFault) {
        guard width > 0, height > 0 else { throw .notAnImage }
        guard max(width, height) <= Self.longestSide, width * height <= Self.maxPixels else { throw .tooManyPixels }
    }
}

/// A re-encoded image. It contains nothing of the original file except its pixels.
public struct CleanImage: Sendable, Equatable {
    public var format: ImageFormat
    public var bytes: [UInt8]
    public var width: Int
    public var height: Int

    public var mediaType: String { format.mediaType }
}

/// Why a file is rejected as an image. The raw value is the code in responses.
public enum ImageFault: String, Error, Sendable, Equatable {
    /// Not a JPEG, PNG or WebP by content, or damaged, truncated or animated.
    case notAnImage = "not-an-image"
    /// Too many pixels to decode, whatever the size of the file.
    case tooManyPixels = "too-many-pixels"
    /// Too many images are waiting. The same file may be sent again later.
    case overloaded
}
