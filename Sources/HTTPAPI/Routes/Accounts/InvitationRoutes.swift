import Domain
import Foundation
import HTTPTypes
import Store
import StrictJSON

/// Management of host invitations by admins.
struct InvitationRoutes: Sendable {
    let store: Store
    let publicURL: String

    var routes: [Route] {
        [
            Route(
                .get, "/v1/invitations", access: .admin(.admin), query: ["limit", "cursor"], handler: list),
            Route(
                .post, "/v1/invitations", access: .admin(.admin), accepts: .json(limit: 16 * 1024), handler: create),
            Route(.delete, "/v1/invitations/{id}", access: .admin(.admin), produces: [], handler: revoke),
        ]
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let (limit, last) = try request.query { reader in
            (reader.int("limit", in: 1...200) ?? 50, reader.cursor("cursor", Cursor.id(of: "invitation")))
        }
        let found = try await store.invitations.list(after: last, limit: limit + 1)
        return .page(found, limit: limit, \.body) { Cursor.after($0.id, of: "invitation") }
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let document = try await request.document()
        let draft = try InvitationDraft.read(document.json())
        let (made, code) = try await store.invitations.create(
            draft, by: request.requireCaller(), once: request.repetition(document),
            language: request.letterLanguage,
            letter: { .hostInvitation(code: $0, email: draft.email, service: publicURL, in: $1) },
            render: { $0.body.bytes })
        let link = InvitationLink.make(code: code, email: draft.email?.text, service: publicURL)
        return try .made(made, revealing: .init("code", .string(code)), .init("url", .string(link)))
    }

    private func revoke(_ request: APIRequest) async throws -> APIResponse {
        try await store.invitations.revoke(request.uuid("id"), by: request.requireCaller())
        return .noContent
    }
}

extension Invitation {
    var body: JSONValue {
        .object([
            .init("id", .string(id.lowercased)), .init("email", JSONValue(email)), .init("note", JSONValue(note)),
            .init("seriesId", JSONValue(seriesID?.lowercased)), .init("role", JSONValue(role)),
            .init("state", .string(state.rawValue)), .init("createdBy", .string(createdBy.lowercased)),
            .init("createdAt", JSONValue(createdAt)), .init("expiresAt", JSONValue(expiresAt)),
            .init("spentAt", JSONValue(spentAt)), .init("spentBy", JSONValue(spentBy?.lowercased)),
        ])
    }
}
