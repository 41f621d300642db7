import Cryptography
import Domain
import HTTPTypes
import HummingbirdCore
import Images
import NIOCore
import Store
import StrictJSON

extension Route.Content {
    /// An image as hosts send it; what it really is, its content decides.
    static let image = Route.Content.media(MediaType.images, limit: 2 * 1024 * 1024)
}

extension MediaType {
    static let images = ["image/jpeg", "image/png", "image/webp"]
}

extension APIRequest {
    /// The body as an image made anew, without place, camera or comment: 422 for what is none.
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
    /// An image that a page may show and that can run nothing.
    static func image(_ bytes: [UInt8], as type: String, digest: [UInt8]) -> APIResponse {
        .bytes(ByteBuffer(bytes: bytes), as: type).tagged(ETag(Base64URL.encode(Array(digest.prefix(12)))))
            .with(.contentSecurityPolicy, "default-src 'none'")
    }
}
