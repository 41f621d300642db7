import Contract
import HTTPTypes
import HummingbirdCore
import NIOCore
import Store

/// Serves the pictures above the questions of forms. A picture's address has a digest of its contents, so browsers
/// cache it permanently.
struct FormPictures: Sendable {
    /// Everyone in a hall opens the form at once, and shares one read.
    private let reads = GroupedReads<String, [UInt8]>()

    var routes: [PageRoute] { [PageRoute("/f/{code}/picture/{name}", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let (code, name) = (page.safeParameter("code"), page.safeParameter("name"))
        let store = page.kit.store
        let bytes = try await reads.value(for: "\(code)/\(name)") { try await store.forms.picture(name, code: code) }
        let headers: HTTPFields = [
            .contentType: "image/jpeg", .cacheControl: "public, max-age=31536000, immutable",
            .contentLength: String(bytes.count),
        ]
        let body = page.method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        return PageResponse(relayed: page.kit.secured(Response(status: .ok, headers: headers, body: body)))
    }
}

/// The picture above a form's questions. Its size is in the page, so that nothing moves when it arrives.
struct PictureValues: TemplateValues {
    /// The address of the file.
    var source: String
    var width: Int
    var height: Int
    var alt: String

    /// Nil without a picture.
    init?(_ picture: Contract.PublicForm.Picture?) {
        guard let picture else { return nil }
        (source, width, height, alt) = (picture.path, picture.width, picture.height, picture.alt)
    }
}

extension PageRequest {
    /// The description of a meeting's image, and whether the form shows the image. Nil if there is no image.
    func shownImage(of meetingID: ResourceID) async throws -> (alt: String, isShown: Bool)? {
        try await kit.store.meetingImages.shown(of: meetingID.uuid)
    }
}
