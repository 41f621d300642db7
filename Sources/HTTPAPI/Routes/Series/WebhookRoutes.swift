import Contract
import Domain
import Foundation
import HTTPTypes
import Store
import StrictJSON

/// The caller's webhooks and their deliveries.
struct WebhookRoutes: Sendable {
    let store: Store
    let targets: WebhookTargets

    var routes: [Route] {
        let paging = ["limit", "cursor"]
        let (webhooks, webhook) = ("/v1/webhooks", "/v1/webhooks/{id}")
        let redelivery = webhook + "/deliveries/{deliveryId}/redeliver"
        return [
            Route(.get, webhooks, access: .account(.readMeetings), query: paging, handler: list),
            Route(.post, webhooks, access: .account(.writeMeetings), accepts: .json(), handler: create),
            Route(.get, webhook, access: .account(.readMeetings), handler: find),
            Route(.patch, webhook, access: .account(.writeMeetings), accepts: .json(limit: 1024), handler: change),
            Route(.delete, webhook, access: .account(.writeMeetings), produces: [], handler: delete),
            Route(.post, webhook + "/test", access: .account(.writeMeetings), handler: test),
            Route(.get, webhook + "/deliveries", access: .account(.readMeetings), query: paging, handler: deliveries),
            Route(.post, redelivery, access: .account(.writeMeetings), handler: redeliver),
        ]
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let (limit, last) = try request.page(after: Cursor.id(of: "webhook"))
        let found = try await store.webhooks.list(
            of: request.requireCaller().account.id, after: last, limit: limit + 1)
        return try .page(found, limit: limit, after: { Cursor.after($0.id, of: "webhook") }) { Contract.Webhook($0) }
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        let document = try await request.document()
        let draft = try WebhookDraft.read(
            document.json(), known: Event.allCases.map(\.rawValue), targets: targets)
        let (creation, secret) = try await store.webhooks.create(
            draft, by: principal, once: request.idempotentRequest(document)
        ) { try ContractCoding.encode(Contract.Webhook($0)) }
        return try .created(creation, Contract.Webhook.self) { $0.secret = secret }
    }

    private func find(_ request: APIRequest) async throws -> APIResponse {
        try .json(Contract.Webhook(await requireWebhook(request)))
    }

    private func change(_ request: APIRequest) async throws -> APIResponse {
        let webhook = try await requireWebhook(request)
        let reader = ObjectReader(try await request.document().json())
        reader.require("paused")
        let isPaused = try reader.requireNoFaults(reading: reader.bool("paused"))
        return try .json(
            Contract.Webhook(await store.webhooks.setPaused(isPaused, webhook.id, by: request.requireCaller())))
    }

    private func delete(_ request: APIRequest) async throws -> APIResponse {
        try await store.webhooks.delete(request.uuid("id"), by: request.requireCaller())
        return .noContent
    }

    private func test(_ request: APIRequest) async throws -> APIResponse {
        let webhook = try await requireWebhook(request)
        let delivery = try await store.webhooks.sendTest(webhook.id, by: request.requireCaller())
        return try .json(Contract.WebhookDelivery(delivery), status: .accepted)
    }

    private func deliveries(_ request: APIRequest) async throws -> APIResponse {
        let webhook = try await requireWebhook(request)
        let (limit, last) = try request.page(after: Cursor.id(of: "delivery"))
        let found = try await store.webhooks.deliveries(of: webhook.id, after: last, limit: limit + 1)
        return try .page(found, limit: limit, after: { Cursor.after($0.id, of: "delivery") }) {
            Contract.WebhookDelivery($0)
        }
    }

    private func redeliver(_ request: APIRequest) async throws -> APIResponse {
        let webhook = try await requireWebhook(request)
        let delivery = try await store.webhooks.redeliver(
            request.uuid("deliveryId"), of: webhook.id, by: request.requireCaller())
        return try .json(Contract.WebhookDelivery(delivery), status: .accepted)
    }

    /// Throws 404 for a webhook of another account.
    private func requireWebhook(_ request: APIRequest) async throws -> StoredWebhook {
        try await store.webhooks.require(request.uuid("id"), of: request.requireCaller().account.id)
    }
}
