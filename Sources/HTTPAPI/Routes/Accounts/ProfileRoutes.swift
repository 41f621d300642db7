import Contract
import Cryptography
import Domain
import Foundation
import HTTPServer
import HTTPTypes
import Images
import Store

/// The caller's own account.
struct ProfileRoutes: Sendable {
    let store: Store
    let hasher: PasswordHasher
    let images: ImageCleaner
    let ownPassword: OwnPasswordCheck

    var routes: [Route] {
        [
            Route(.get, "/v1/me", access: .account(nil), handler: get),
            Route(.patch, "/v1/me", access: .account(nil), accepts: .json(), handler: edit),
            Route(.get, "/v1/me/picture", access: .account(nil), produces: MediaType.images, handler: picture),
            Route(
                .put, "/v1/me/picture", access: .account(nil), accepts: .image, produces: [], handler: setPicture),
            Route(.delete, "/v1/me/picture", access: .account(nil), produces: [], handler: removePicture),
        ]
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let profile = try await store.profiles.require(request.requireCaller().account.id)
        return try .tagged(Contract.Profile(profile), revision: profile.revision).unstored
    }

    private func edit(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireSession()
        try request.requireMatch(revision: await store.profiles.require(principal.account.id).revision)
        let edit = try Domain.ProfileEdit.read(
            await request.document().json(), of: EmailAddress(principal.account.email), passwords: .standard)
        let password = try await passwordChange(edit, of: principal.account.id, request)
        let profile = try await store.profiles.edit(edit, password: password, by: principal) { current in
            try request.requireMatch(revision: current.revision)
        }
        return try .tagged(Contract.Profile(profile), revision: profile.revision).unstored
    }

    private func picture(_ request: APIRequest) async throws -> APIResponse {
        let picture = try await store.profiles.picture(of: request.requireCaller().account.id)
        return .image(picture.bytes, as: picture.mediaType, digest: picture.digest).unstored
    }

    private func setPicture(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireSession()
        let image = try await request.image(by: images)
        try await store.profiles.setPicture(image.bytes, as: image.mediaType, by: principal)
        return .noContent
    }

    private func removePicture(_ request: APIRequest) async throws -> APIResponse {
        try await store.profiles.removePicture(by: request.requireSession())
        return .noContent
    }

    private func passwordChange(
        _ edit: Domain.ProfileEdit, of id: UUID, _ request: APIRequest
    ) async throws -> Profiles.PasswordChange? {
        guard let new = edit.password, let old = edit.oldPassword else { return nil }
        let hash = try await ownPassword.require(old, at: "/oldPassword", of: id, request)
        return (oldHash: hash, newHash: try await hasher.hash(new, for: request.clientAddress.text))
    }
}
