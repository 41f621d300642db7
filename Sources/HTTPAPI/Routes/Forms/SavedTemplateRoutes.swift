import Contract
import Domain
import Foundation
import HTTPTypes
import Store

/// The forms that hosts saved as templates. Every host reads them; owners and admins change them.
struct SavedTemplateRoutes: Sendable {
    let store: Store
    private let reads = LargeFormReads()

    init(store: Store) { self.store = store }

    var routes: [Route] {
        let (templates, template) = ("/v1/templates", "/v1/templates/{id}")
        return [
            Route(.get, templates, access: .account(.readMeetings), query: ["limit", "cursor"], handler: list),
            Route(
                .post, templates, access: .account(.writeMeetings), accepts: .json(limit: 2 * 1024 * 1024),
                handler: create),
            Route(.get, template, access: .account(.readMeetings), handler: find),
            Route(.patch, template, access: .account(.writeMeetings), accepts: .json(), handler: rename),
            Route(.delete, template, access: .account(.writeMeetings), produces: [], handler: delete),
        ]
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let (limit, last) = try request.page(after: Cursor.id(of: "template"))
        let found = try await store.savedTemplates.list(after: last, limit: limit + 1)
        return try .page(found, limit: limit, after: { Cursor.after($0.id, of: "template") }) {
            Contract.SavedTemplate($0)
        }
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        let document = try await request.document()
        let draft = try SavedTemplateDraft.read(document.json())
        let creation = try await store.savedTemplates.create(
            draft, by: principal, once: request.idempotentRequest(document)
        ) { try ContractCoding.encode(Contract.SavedTemplate($0)) }
        return .created(creation)
    }

    private func find(_ request: APIRequest) async throws -> APIResponse {
        let id = try request.uuid("id")
        return try await reads.read(id, definition: \StoredSavedTemplate.definition) {
            try await store.savedTemplates.require(id)
        } _: {
            try .json(Contract.SavedTemplate($0))
        }
    }

    private func rename(_ request: APIRequest) async throws -> APIResponse {
        let name = try SavedTemplateDraft.readName(await request.document().json())
        return try .json(
            Contract.SavedTemplate(
                await store.savedTemplates.rename(request.uuid("id"), to: name, by: request.requireCaller())))
    }

    private func delete(_ request: APIRequest) async throws -> APIResponse {
        try await store.savedTemplates.delete(request.uuid("id"), by: request.requireCaller())
        return .noContent
    }
}
