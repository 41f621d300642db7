import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite struct StoredIdempotencyKeys {
    @Test func eachNewKeyDeletesUpToAHundredKeysOlderThanADay() async throws {
        try await TestStore.run { fixture in
            let account = fixture.host.account.id
            try await fixture.store.pool.execute(
                """
                INSERT INTO idempotency (account_id, key, route, body_hash, response, created_at)
                SELECT \(account), 'key-' || n, '/v1/meetings', '', '', now() - interval '23 hours'
                    - CASE WHEN n <= 150 THEN interval '2 hours' ELSE '0' END
                FROM generate_series(1, 160) n
                """)
            var remaining: [Int] = []
            for number in 0..<3 {
                let request = IdempotentRequest(
                    accountID: account, route: "/v1/meetings", key: "new-\(number)", bodyHash: [1])
                let draft = try MeetingDraft.read(JSONValue.parse(Array(#"{"title": "A meeting"}"#.utf8)))
                _ = try await fixture.store.meetings.create(draft, by: fixture.host, once: request) { _ in [2] }
                let rows = try await fixture.store.pool.query(
                    "SELECT count(*) FROM idempotency WHERE key LIKE 'key-%'")
                remaining.append(try rows.first?.decode(Int.self) ?? -1)
            }
            #expect(remaining == [60, 10, 10])
        }
    }
}
