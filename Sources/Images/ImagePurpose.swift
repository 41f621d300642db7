/// What an uploaded image is for: the formats that are accepted, and the size of the result.
public struct ImagePurpose: Sendable {
    var formats: Set<ImageFormat>
    /// The maximum length of each side of the result, in pixels.
    var longestSide: Int
    /// The largest size of the result. Larger results are scaled down.
    var maxBytes: Int

    /// The picture of a meeting or of an account.
    public static let picture = ImagePurpose(
        formats: Set(ImageFormat.allCases), longestSide: ImageCleaner.longestSide,
        maxBytes: 4 * 1024 * 1024)
    /// The logo of an organisation, which is loaded with every page that is opened first.
    public static let logo = ImagePurpose(formats: [.jpeg, .png], longestSide: 512, maxBytes: 64 * 1024)
}

/// The small copy of a meeting's image at the top of a form. It is a JPEG, on white if the image is transparent.
enum Banner {
    static let longestSide = 1200
    /// The largest size, so that a phone on a slow network shows the form and the picture within a second or two.
    static let maxBytes = 100 * 1024
    /// The qualities that are tried before the picture is scaled down. Below the last one, blocks become visible.
    private static let qualities: [Int32] = [82, 72, 60]

    static func make(of image: CleanImage) throws(ImageFault) -> CleanImage {
        guard var picture = Picture.decode(image.bytes, image.format)?.scaled(toFit: longestSide)?.onWhite() else {
            throw .notAnImage
        }
        while true {
            for quality in qualities {
                guard let encoded = picture.encoded(.jpeg, quality: quality) else { throw .notAnImage }
                // libgd adds a comment with its own name.
                let bytes = try JPEGFile(encoded).withoutComments(encoded)
                guard bytes.count > maxBytes else {
                    return CleanImage(format: .jpeg, bytes: bytes, width: picture.width, height: picture.height)
                }
            }
            let side = max(picture.width, picture.height)
            guard side > 1, let smaller = picture.scaled(toFit: side * 3 / 4) else { throw .notAnImage }
            picture = smaller
        }
    }
}
