import Contract
import Domain
import HTTPTypes
import Store

/// Join codes, with which people add themselves to the roster of a series.
struct JoinRoutes: Sendable {
    let store: Store
    let codeLimit: CodeEnumerationLimit
    let options: ServiceOptions
    let letters: LetterCatalogues
    private var publicURL: String { options.publicURL }

    var routes: [Route] {
        let codes = "/v1/series/{id}/join-codes"
        return [
            Route(.get, codes, access: .account(.readMeetings), query: ["limit", "cursor"], handler: list),
            Route(.post, codes, access: .account(.writeMeetings), accepts: .optionalJSON(), handler: create),
            Route(.delete, codes + "/{codeId}", access: .account(.writeMeetings), produces: [], handler: revoke),
            Route(.post, "/v1/join/{code}", access: .anyone, accepts: .json(), logged: false, handler: join),
        ]
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let (id, _) = try await store.requireSeries(for: request, atLeast: .editor)
        let (limit, before) = try request.page(after: Cursor.joinCode)
        let found = try await store.joinCodes.list(of: id, before: before, limit: limit + 1)
        return try .page(found, limit: limit, after: Cursor.after) { Contract.JoinCode($0, publicURL: publicURL) }
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request, atLeast: .editor)
        let document = try await request.optionalDocument()
        let draft = try document.map { try JoinCodeDraft.read($0.json()) } ?? JoinCodeDraft()
        return .created(
            try await store.joinCodes.create(
                draft, for: id, by: principal, once: request.idempotentRequest(document)
            ) { try ContractCoding.encode(Contract.JoinCode($0, publicURL: publicURL)) })
    }

    private func revoke(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request, atLeast: .editor)
        try await store.joinCodes.revoke(request.uuid("codeId"), of: id, by: principal)
        return .noContent
    }

    private func join(_ request: APIRequest) async throws -> APIResponse {
        let code = try request.parameter("code")
        try await codeLimit.limitMisses(code, of: request) { try await store.joinCodes.require(code) }
        let draft = try MemberDraft.readOne(await request.document().json())
        let mailing =
            options.sendsMail
            ? PersonLinkMailing(publicURL: publicURL, letters: letters.preferred(by: request)) : nil
        let joining = try await codeLimit.limitMisses(code, of: request) {
            try await store.joinCodes.join(code, draft, mailing: mailing)
        }
        return try .json(Contract.Joining(joining, name: draft.name), status: joining.isNew ? .created : .ok)
    }
}
