import Contract

extension Endpoint {
    static let listWebhooks = Endpoint("GET", "/v1/webhooks")
    static let createWebhook = Endpoint("POST", "/v1/webhooks", .keyed)
    static let getWebhook = Endpoint("GET", "/v1/webhooks/{id}")
    static let editWebhook = Endpoint("PATCH", "/v1/webhooks/{id}")
    static let deleteWebhook = Endpoint("DELETE", "/v1/webhooks/{id}")
    static let testWebhook = Endpoint("POST", "/v1/webhooks/{id}/test")
    static let listDeliveries = Endpoint("GET", "/v1/webhooks/{id}/deliveries")
    static let redeliver = Endpoint("POST", "/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver")

    static let webhooks = [
        listWebhooks, createWebhook, getWebhook, editWebhook, deleteWebhook, testWebhook, listDeliveries, redeliver,
    ]
}

extension Afterword.Host {
    /// The account's webhooks.
    public func webhooks() -> Pages<Webhook> {
        pages(.listWebhooks)
    }

    /// Creates a webhook, to which the service sends events.
    ///
    /// The receiver verifies signatures with `secret`. The service sends it only once. It is nil if the first response
    /// was lost and the call was retried.
    public func createWebhook(_ webhook: WebhookRequest, key: IdempotencyKey? = nil) async throws -> Webhook {
        try await call(.createWebhook, body: .json(webhook), key: key).value()
    }

    public func webhook(_ id: ResourceID) async throws -> Webhook {
        try await call(.getWebhook, id).value()
    }

    /// Pauses a webhook, or resumes it. What happens while it is paused is never sent to it.
    @discardableResult
    public func setPaused(_ paused: Bool, webhook id: ResourceID) async throws -> Webhook {
        try await call(.editWebhook, id, body: .json(WebhookEdit(paused: paused))).value()
    }

    public func deleteWebhook(_ id: ResourceID) async throws {
        _ = try await call(.deleteWebhook, id)
    }

    /// Sends a test event to a webhook.
    public func testWebhook(_ id: ResourceID) async throws -> WebhookDelivery {
        try await call(.testWebhook, id).value()
    }

    /// The deliveries of a webhook, newest first.
    public func deliveries(of webhook: ResourceID) -> Pages<WebhookDelivery> {
        pages(.listDeliveries, webhook)
    }

    /// Sends the event of a delivery again.
    @discardableResult
    public func redeliver(_ delivery: ResourceID, of webhook: ResourceID) async throws -> WebhookDelivery {
        try await call(.redeliver, webhook, delivery).value()
    }
}
