import Domain
import Foundation
import Postgres
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FindingDueWork {
    /// Whether mail, webhooks and forms are due, in this order.
    private static func areDue(_ fixture: TestStore) async -> [Bool] {
        var results: [Bool] = []
        for kind in [DueWork.Kinds.mail, .webhooks, .forms] {
            results.append(await fixture.store.dueWork.isDue(kind, age: .zero))
        }
        return results
    }

    @Test func everyKindOfWorkIsFound() async throws {
        try await TestStore.run { fixture in
            #expect(await Self.areDue(fixture) == [false, false, false])
            let pool = fixture.store.pool
            try await pool.execute(
                """
                INSERT INTO outbox (id, kind, recipient, subject, body)
                VALUES (gen_random_uuid(), 'k', 'a@example.org', 's', 'b')
                """)
            #expect(await Self.areDue(fixture) == [true, false, false])
            try await pool.execute("UPDATE outbox SET next_try_at = now() + interval '1 hour'")
            #expect(await Self.areDue(fixture) == [false, false, false])
            try await pool.execute(
                """
                INSERT INTO webhook_delivery (id, webhook_id, event, body, give_up_at)
                VALUES (gen_random_uuid(), gen_random_uuid(), 'e', 'b', now() + interval '1 day')
                """)
            #expect(await Self.areDue(fixture) == [false, true, false])
            try await pool.execute("UPDATE webhook_delivery SET failed_at = now()")
            let meeting = try await fixture.openMeeting()
            try await fixture.store.clock.tick()
            #expect(await Self.areDue(fixture) == [false, false, false])
            let id = meeting.form.id
            try await pool.execute("UPDATE form_state SET closes_at = now() - interval '1 day' WHERE form_id = \(id)")
            #expect(await Self.areDue(fixture) == [false, false, true])
            try await fixture.store.clock.tick()
            #expect(await Self.areDue(fixture) == [false, false, false])
        }
    }

    @Test func queryResultIsReusedUntilItIsTooOld() async throws {
        try await TestStore.run { fixture in
            #expect(await !fixture.store.dueWork.isDue(.forms, age: .seconds(60)))
            try await fixture.store.pool.execute(
                """
                INSERT INTO outbox (id, kind, recipient, subject, body)
                VALUES (gen_random_uuid(), 'k', 'a@example.org', 's', 'b')
                """)
            #expect(await !fixture.store.dueWork.isDue(.mail, age: .seconds(60)))
            #expect(await fixture.store.dueWork.isDue(.mail, age: .zero))
        }
    }

    @Test func allWorkCountsAsDueIfTheQueryFails() async throws {
        try await TestStore.run { fixture in
            let connection = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await connection.script("ALTER TABLE outbox RENAME TO renamed_outbox")
            await connection.close()
            #expect(await Self.areDue(fixture) == [true, true, true])
        }
    }
}
