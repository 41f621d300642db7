import Contract
import Domain
import Foundation
import HTTPTypes
import Store

/// Management of host invitations by admins.
struct InvitationRoutes: Sendable {
    let store: Store
    let publicURL: String
    let letters: LetterCatalogues

    var routes: [Route] {
        [
            Route(
                .get, "/v1/invitations", access: .admin(.admin), query: ["limit", "cursor"], handler: list),
            Route(.post, "/v1/invitations", access: .admin(.admin), accepts: .json(), handler: create),
            Route(.delete, "/v1/invitations/{id}", access: .admin(.admin), produces: [], handler: revoke),
        ]
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let (limit, last) = try request.page(after: Cursor.id(of: "invitation"))
        let found = try await store.invitations.list(after: last, limit: limit + 1)
        return try .page(found, limit: limit, after: { Cursor.after($0.id, of: "invitation") }) {
            Contract.Invitation($0)
        }
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let document = try await request.document()
        let draft = try InvitationDraft.read(document.json())
        // With a role, the invitation also gives access to a series.
        let principal = draft.role == nil ? try request.requireCaller() : try request.requireRecentCaller()
        let (creation, code) = try await store.invitations.create(
            draft, by: principal, once: request.idempotentRequest(document),
            letters: letters.preferred(by: request),
            letter: { .hostInvitation(code: $0, email: draft.email, service: publicURL, in: $1) },
            render: { try ContractCoding.encode(Contract.Invitation($0)) })
        let link = InvitationLink.make(code: code, email: draft.email?.text, service: publicURL)
        return try .created(creation, Contract.Invitation.self) { ($0.code, $0.url) = (code, link) }
    }

    private func revoke(_ request: APIRequest) async throws -> APIResponse {
        try await store.invitations.revoke(request.uuid("id"), by: request.requireCaller())
        return .noContent
    }
}
