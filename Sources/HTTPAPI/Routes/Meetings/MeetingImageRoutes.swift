import Contract
import Cryptography
import Domain
import Foundation
import HTTPTypes
import Images
import NIOCore
import Store

/// A meeting's image, cleaned on upload.
struct MeetingImageRoutes: Sendable {
    let store: Store
    let images: ImageCleaner

    var routes: [Route] {
        let path = "/v1/meetings/{id}/image"
        return [
            Route(.get, path, access: .account(.readMeetings), produces: MediaType.images, handler: get),
            Route(.put, path, access: .account(.writeMeetings), accepts: .image, handler: put),
            Route(.patch, path, access: .account(.writeMeetings), accepts: .json(), produces: [], handler: describe),
            Route(.delete, path, access: .account(.writeMeetings), produces: [], handler: delete),
        ]
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let image = try await store.meetingImages.require(meeting.id)
        return APIResponse.bytes(ByteBuffer(bytes: image.bytes), as: image.mediaType)
            .tagged(Self.tag(image.digest))
    }

    private func put(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        let meeting = try await requireEditableMeeting(request)
        let (clean, small) = try await request.imageWithBanner(by: images)
        let banner = FormPicture.File(bytes: small.bytes, width: small.width, height: small.height)
        try await store.meetingImages.save(
            clean.bytes, as: clean.mediaType, banner: banner, of: meeting.id, by: principal.account.id
        ) { try Self.checkMatch(request, $0) }
        let changed = try await store.meetings.require(meeting.id, by: principal)
        return try .tagged(Contract.Meeting(changed), revision: changed.revision)
    }

    /// Sets the description of the image.
    private func describe(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        let description = try PictureDescription.read(await request.document().json())
        try await store.meetingImages.describe(
            description.alt, of: meeting.id, by: request.requireCaller().account.id)
        return .noContent
    }

    private func delete(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await requireEditableMeeting(request)
        try await store.meetingImages.delete(of: meeting.id, by: request.requireCaller().account.id) {
            try Self.checkMatch(request, $0)
        }
        return .noContent
    }

    /// Checks `If-Match` before the body is read. The decisive check is under the lock.
    private func requireEditableMeeting(_ request: APIRequest) async throws -> StoredMeeting {
        let meeting = try await store.requireEditableMeeting(for: request).meeting
        if request.headers[.ifMatch] != nil {
            try Self.checkMatch(request, try await store.meetingImages.digest(of: meeting.id))
        }
        return meeting
    }

    private static func checkMatch(_ request: APIRequest, _ digest: [UInt8]?) throws {
        guard request.headers[.ifMatch] != nil else { return }
        guard let digest else { throw Problem(.preconditionFailed, "There is no image.") }
        try request.checkMatch(tag(digest))
    }

    private static func tag(_ digest: [UInt8]) -> ETag { ETag(Base64URL.encode(digest)) }
}
