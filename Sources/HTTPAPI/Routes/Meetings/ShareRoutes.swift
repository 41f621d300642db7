import Contract
import Domain
import Foundation
import HTTPTypes
import Store

/// Shares: expiring links to results. Editors create and revoke them.
struct ShareRoutes: Sendable {
    let store: Store
    let reader: ResultReader
    let codeLimit: CodeEnumerationLimit
    let publicURL: String

    var routes: [Route] {
        let (shares, share) = ("/v1/meetings/{id}/shares", "/v1/shares/{token}")
        return [
            Route(.get, shares, access: .account(.readMeetings), query: ["limit", "cursor"], handler: list),
            Route(.post, shares, access: .account(.writeMeetings), accepts: .optionalJSON(), handler: create),
            Route(
                .delete, shares + "/{shareId}", access: .account(.writeMeetings), produces: [], handler: revoke),
            Route(.get, share, access: .anyone, logged: false, handler: get),
            Route(.get, share + "/results", access: .anyone, logged: false, handler: results),
            Route(
                .get, share + "/results/{key}/answers", access: .anyone, query: TextPage.query, logged: false,
                handler: texts),
        ]
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let (meeting, _) = try await store.requireEditableMeeting(for: request)
        let (limit, last) = try request.page(after: Cursor.id(of: "share"))
        let found = try await store.shares.list(of: meeting.id, before: last, limit: limit + 1)
        return try .page(found, limit: limit, after: { Cursor.after($0.id, of: "share") }) { Contract.Share($0) }
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        // Creating a share needs the right to read results, because its link shows them.
        try request.require(.readResults)
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        let document = try await request.optionalDocument()
        let draft = try document.map { try ShareDraft.read($0.json()) } ?? ShareDraft()
        let (creation, token) = try await store.shares.create(
            draft, for: meeting, by: principal, once: request.idempotentRequest(document)
        ) { try ContractCoding.encode(Contract.Share($0)) }
        return try .created(creation, Contract.Share.self) { ($0.token, $0.url) = (token, "\(publicURL)/r/\(token)") }
    }

    private func revoke(_ request: APIRequest) async throws -> APIResponse {
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        try await store.shares.revoke(request.uuid("shareId"), of: meeting, by: principal)
        return .noContent
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let (meeting, expiresAt) = try await shared(request)
        return try .tagged(SharedMeeting(meeting, expiresAt: expiresAt))
    }

    private func results(_ request: APIRequest) async throws -> APIResponse {
        try await reader.respond(to: request, with: shared(request).meeting)
    }

    private func texts(_ request: APIRequest) async throws -> APIResponse {
        try await TextPage.respond(to: request, withReleasedTextsOf: shared(request).meeting, in: store)
    }

    private func shared(_ request: APIRequest) async throws -> (meeting: StoredMeeting, expiresAt: Date) {
        let token = try request.parameter("token")
        return try await codeLimit.limitMisses(token, of: request) {
            try await store.shares.find(token: token)
        }
    }
}
