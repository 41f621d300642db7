import BlockingWork
import Foundation

/// Re-encodes untrusted images: upright, limited in size, and without metadata (location, time, camera, comments).
///
/// The format is detected from the content. The dimensions are read before decoding, so that a small file can't exhaust
/// the memory. Files are decoded one at a time on a separate thread. The accounts that send them take turns.
public final class ImageCleaner: Sendable {
    /// The maximum length of each side of a picture, in pixels.
    public static let longestSide = 2048

    private let work: BlockingWork

    /// - Parameters:
    ///   - bound: The largest number of images that wait while another is processed.
    ///   - boundPerAccount: The largest number of waiting images of one account.
    public init(waiting bound: Int = 20, perAccount boundPerAccount: Int = 4) {
        work = BlockingWork(
            "afterword.images", maximumRunning: 1, maximumWaiting: bound, maximumWaitingPerKey: boundPerAccount)
    }

    public func clean(
        _ bytes: [UInt8], for accountID: UUID, as purpose: ImagePurpose = .picture
    ) async throws(ImageFault) -> CleanImage {
        try await run(for: accountID) { () throws(ImageFault) in try Self.clean(bytes, as: purpose) }
    }

    /// Like `clean`, but also returns a small copy for the top of a form.
    public func cleanWithBanner(
        _ bytes: [UInt8], for accountID: UUID
    ) async throws(ImageFault) -> (image: CleanImage, banner: CleanImage) {
        try await run(for: accountID) { () throws(ImageFault) in
            let image = try Self.clean(bytes)
            return (image, try Banner.make(of: image))
        }
    }

    private func run<Value: Sendable>(
        for accountID: UUID, _ job: @escaping @Sendable () throws(ImageFault) -> Value
    ) async throws(ImageFault) -> Value {
        let result: Result<Value, ImageFault>
        do {
            result = try await work.run(for: accountID.uuidString) { Result { () throws(ImageFault) in try job() } }
        } catch {
            throw .overloaded
        }
        return try result.get()
    }

    static func clean(
        _ bytes: [UInt8], as purpose: ImagePurpose = .picture, atMost limit: Int? = nil
    ) throws(ImageFault) -> CleanImage {
        let (header, format, decoderInput) = try inspect(bytes)
        guard purpose.formats.contains(format) else { throw .notAnImage }
        try header.check()
        // Scaling first makes the rotation cheap.
        guard let decoded = Picture.decode(decoderInput, format), decoded.width == header.width,
            decoded.height == header.height,
            var picture = decoded.scaled(toFit: purpose.longestSide)?.upright(from: header.orientation)
        else { throw .notAnImage }
        let maxBytes = limit ?? purpose.maxBytes
        while true {
            guard var encoded = picture.encoded(format) else { throw .notAnImage }
            // libgd adds a comment with its own name.
            if format == .jpeg { encoded = try JPEGFile(encoded).withoutComments(encoded) }
            let side = max(picture.width, picture.height)
            if encoded.count <= maxBytes || side == 1 {
                return CleanImage(format: format, bytes: encoded, width: picture.width, height: picture.height)
            }
            guard let smaller = picture.scaled(toFit: side * 3 / 4) else { throw .notAnImage }
            picture = smaller
        }
    }

    /// The header, the format, and the bytes for the decoder.
    private static func inspect(
        _ bytes: [UInt8]
    ) throws(ImageFault) -> (header: ImageHeader, format: ImageFormat, decoderInput: [UInt8]) {
        switch ImageFormat(of: bytes) {
        case .jpeg: return (try JPEGFile(bytes).header(), .jpeg, bytes)
        case .png:
            let file = try PNGFile(bytes)
            return (file.header, .png, file.decoderInput)
        case .webp: return (try WebPFile(bytes).header, .webp, bytes)
        case nil: throw .notAnImage
        }
    }
}
