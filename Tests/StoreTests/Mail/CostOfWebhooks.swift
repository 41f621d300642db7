import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// The cost of finding due deliveries when very many are due later.
@Suite(.timeLimit(.minutes(15))) struct CostOfWebhooks {
    @Test func deliveriesDueLaterAreNotRead() async throws {
        try await TestStore.run { fixture in
            let owner = fixture.host.account.id
            try await fixture.store.pool.execute(
                """
                WITH made AS (
                    INSERT INTO webhook (id, account_id, url, events, key_id)
                    SELECT gen_random_uuid(), \(owner), 'https://example.org/', ARRAY['form.opened'], 1
                    FROM generate_series(1, 20) RETURNING id
                ), states AS (INSERT INTO webhook_state (webhook_id) SELECT id FROM made)
                INSERT INTO webhook_delivery (id, webhook_id, event, body, next_try_at, give_up_at)
                SELECT gen_random_uuid(), m.id, 'form.opened', '{}', now() + interval '1 hour', now() + interval '1 day'
                FROM made m, generate_series(1, 2000)
                """)
            let maintenance = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await maintenance.script("ANALYZE webhook; ANALYZE webhook_state; ANALYZE webhook_delivery")
            await maintenance.close()
            let id = try await fixture.store.pool.query("SELECT id FROM webhook LIMIT 1").single().decode(UUID.self)
            for statement in [WebhookQueue.dueWebhook(failing: true), WebhookQueue.dueDelivery(of: id)] {
                let plan = try await fixture.store.pool.query("EXPLAIN (ANALYZE) " + statement)
                    .map { row -> String in try row.decode(String.self) }
                #expect(
                    plan.contains { $0.contains("Index Cond") && $0.contains("next_try_at <= statement_timestamp()") },
                    "\(plan)")
            }
            #expect(try await fixture.store.webhookQueue.claim(failing: true) == nil)
        }
    }
}
