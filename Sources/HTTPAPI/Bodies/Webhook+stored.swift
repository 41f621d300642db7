import Contract
import Store

extension Contract.Webhook {
    init(_ webhook: StoredWebhook) {
        self.init(
            id: ResourceID(webhook.id), url: webhook.url, events: webhook.events, createdAt: webhook.createdAt,
            lastSuccessAt: webhook.lastSuccessAt, failing: webhook.failingSince != nil,
            failingSince: webhook.failingSince, pausedAt: webhook.pausedAt)
    }
}

extension Contract.WebhookDelivery {
    init(_ delivery: StoredWebhookDelivery) {
        self.init(
            id: ResourceID(delivery.id), event: delivery.event, status: delivery.status.rawValue,
            tries: delivery.tries, createdAt: delivery.createdAt, lastTryAt: delivery.lastTryAt,
            nextTryAt: delivery.status == .waiting ? delivery.nextTryAt : nil,
            endedAt: delivery.deliveredAt ?? delivery.failedAt, httpStatus: delivery.lastStatus,
            error: delivery.lastError)
    }
}
