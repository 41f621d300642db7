import Cryptography
import Domain
import HTTPTypes
import HummingbirdCore
import Images
import NIOCore
import Store
import StrictJSON

extension Route.Content {
    /// Media types of uploaded images; the content decides what it is.
    static let image = Route.Content.media(MediaType.images, limit: 2 * 1024 * 1024)
}

extension MediaType {
    static let images = ["image/jpeg", "image/png", "image/webp"]
}

extension APIRequest {
    /// Re-encodes the body as an image without metadata such as place, camera or comment; throws 422 if it is no image.
    func image(by cleaner: ImageCleaner) async throws -> CleanImage {
        let bytes = try await content().bytes
        do throws(ImageFault) {
            return try await cleaner.clean(Array(bytes.readableBytesView))
        } catch {
            throw error.problem
        }
    }
}

extension APIResponse {
    /// An image that is safe to show in a page and cannot run code.
    static func image(_ bytes: [UInt8], as type: String, digest: [UInt8]) -> APIResponse {
        .bytes(ByteBuffer(bytes: bytes), as: type).tagged(ETag(Base64URL.encode(Array(digest.prefix(12)))))
            .with(.contentSecurityPolicy, "default-src 'none'")
    }
}
