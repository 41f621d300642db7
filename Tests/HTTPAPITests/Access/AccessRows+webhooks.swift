import Foundation
import Postgres
import Store
import TestSupport

extension AccessMatrix {
    /// Webhooks and their deliveries.
    static let webhooksRows: [String: AccessRow] = [
        "GET /v1/webhooks": .signedIn(200),
        "POST /v1/webhooks": .signedIn(201).sending(
            #"{"url": "https://example.org/hook", "events": ["form.opened"]}"#),
        "GET /v1/webhooks/{id}": .signedIn(200).preparing(webhook),
        "PATCH /v1/webhooks/{id}": AccessRow.signedIn(200).preparing(webhook).sending(#"{"paused": true}"#),
        "DELETE /v1/webhooks/{id}": .signedIn(204).preparing(webhook),
        "POST /v1/webhooks/{id}/test": .signedIn(202).preparing(webhook),
        "GET /v1/webhooks/{id}/deliveries": .signedIn(200).preparing(webhook),
        "POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver": .signedIn(202).preparing(webhook),
    ]

    /// A webhook of the caller with one delivery. `WebhookManagement` tests that the webhook of another account is not
    /// found.
    private static let webhook: AccessRow.Preparation = { stage in
        let (id, delivery) = (UUID(), UUID())
        let owner = stage.principal?.account.id ?? stage.service.fixture.host.account.id
        try await stage.service.sql(
            """
            INSERT INTO webhook (id, account_id, url, events, key_id)
            VALUES (\(id), \(owner), 'https://example.org/hook', ARRAY['form.opened'], 1)
            """)
        try await stage.service.sql("INSERT INTO webhook_state (webhook_id) VALUES (\(id))")
        try await stage.service.sql(
            """
            INSERT INTO webhook_delivery (id, webhook_id, event, body, give_up_at)
            VALUES (\(delivery), \(id), 'form.opened', '{}', now() + interval '1 day')
            """)
        return ["/webhooks/{id}": "/webhooks/\(id)", "{deliveryId}": delivery.uuidString]
    }
}
