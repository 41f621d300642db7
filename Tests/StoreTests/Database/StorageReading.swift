import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(15))) struct StorageReading {
    private static func runAsSuperuser(_ script: String, in fixture: TestStore) async throws {
        let connection = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
        try await connection.script(script)
        await connection.close()
    }

    @Test func sizesAndCountsAreReported() async throws {
        try await TestStore.run { fixture in
            let (first, second) = (try await fixture.openMeeting(), try await fixture.openMeeting())
            for meeting in [first, first, second] { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            let reading = try await fixture.store.usage.read()
            #expect(reading.postgres.contains(#/^\d+\.\d+$/#))
            #expect(reading.submissions == .init(count: 3, isExact: true) && reading.meetings == 2)
            let bytes = reading.tables.map(\.bytes)
            #expect(bytes == bytes.sorted(by: >) && bytes.reduce(0, +) < reading.databaseBytes ?? 0)
            let size = try await fixture.store.pool.query("SELECT pg_total_relation_size('submission')").single()
            #expect(try reading.tables.first { $0.name == "submission" }?.bytes == size.decode(Int.self))
        }
    }

    @Test func onlyTheServicesTablesAreListed() async throws {
        try await TestStore.run { fixture in
            let rows = try await fixture.store.pool.query(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
            let names = try rows.map { row throws -> String in try row.decode(String.self) }
            try await Self.runAsSuperuser(
                """
                CREATE TABLE of_somebody (id int); CREATE SCHEMA elsewhere AUTHORIZATION afterword_owner;
                CREATE TABLE elsewhere.other (id int); ALTER TABLE elsewhere.other OWNER TO afterword_owner
                """, in: fixture)
            let tables = try await fixture.store.usage.read().tables
            #expect(tables.count == Set(names).count && Set(tables.map(\.name)) == Set(names))
            #expect(names.contains("schema_migration") && names.count <= DatabaseUsage.maxTables)
        }
    }

    @Test func rowsAreReportedOnceTheyAreEstimated() async throws {
        try await TestStore.run { fixture in
            try await Self.runAsSuperuser(
                "CREATE TABLE fresh AS SELECT 1 AS id; ALTER TABLE fresh OWNER TO afterword_owner", in: fixture)
            func fresh() async throws -> DatabaseUsage.Table? {
                try await fixture.store.usage.read().tables.first { $0.name == "fresh" }
            }
            let before = try #require(try await fresh())
            #expect(before.rows == nil && before.bytes > 0)
            try await Self.runAsSuperuser("ANALYZE fresh", in: fixture)
            #expect(try await fresh()?.rows == 1)
        }
    }

    @Test func pendingRowsAndTheirAgeAreReported() async throws {
        try await TestStore.run { fixture in
            let (pool, storage) = (fixture.store.pool, fixture.store.usage)
            #expect(try await storage.read().outbox == .init(waiting: 0, oldest: nil))
            #expect(try await storage.read().deliveries == .init(waiting: 0, oldest: nil))
            try await pool.execute(
                """
                INSERT INTO outbox (id, kind, recipient, subject, body, created_at, sent_at, failed_at)
                SELECT gen_random_uuid(), 'test', 'a@example.org', CASE WHEN n < 3 THEN 's' END,
                    CASE WHEN n < 3 THEN 'b' END, '2026-11-21T09:30:00Z'::timestamptz + (5 - n) * interval '1 hour',
                    CASE WHEN n = 3 THEN now() END, CASE WHEN n = 4 THEN now() END
                FROM generate_series(0, 4) AS n
                """)
            try await pool.execute(
                """
                INSERT INTO webhook_delivery (id, webhook_id, event, body, created_at, give_up_at, delivered_at,
                    failed_at)
                SELECT gen_random_uuid(), gen_random_uuid(), 'form.opened', '{}',
                    '2026-11-21T09:30:00Z'::timestamptz + (4 - n) * interval '1 hour', now(),
                    CASE WHEN n = 2 THEN now() END, CASE WHEN n = 3 THEN now() END
                FROM generate_series(0, 3) AS n
                """)
            let reading = try await storage.read()
            let start = Date(timeIntervalSince1970: 1_795_253_400)
            #expect(reading.outbox == .init(waiting: 3, oldest: start + 3 * 3600))
            #expect(reading.deliveries == .init(waiting: 2, oldest: start + 3 * 3600))
        }
    }

    @Test(.disabled(if: TestCluster.usesCitus, "sizes and estimates are those of the coordinator"))
    func submissionsOfVeryManyFormsAreEstimated() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            for _ in 0..<3 { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            let storage = DatabaseUsage(pool: fixture.store.pool, maxSummedBytes: 0)
            #expect(try await storage.read().submissions == .init(count: nil, isExact: false))
            try await Self.runAsSuperuser("ANALYZE submission", in: fixture)
            #expect(try await storage.read().submissions == .init(count: 3, isExact: false))
        }
    }

    @Test func totalSizeIsOmittedWithoutTheRightToConnect() async throws {
        try await TestStore.run { fixture in
            try await Self.runAsSuperuser(
                "REVOKE CONNECT ON DATABASE \(fixture.database.name) FROM PUBLIC", in: fixture)
            let reading = try await fixture.store.usage.read()
            #expect(reading.databaseBytes == nil && !reading.tables.isEmpty)
        }
    }

    @Test func readingALockedTableIsRefusedAsOverloaded() async throws {
        try await TestStore.run { fixture in
            let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await holder.script("BEGIN; LOCK TABLE submission IN ACCESS EXCLUSIVE MODE")
            let error = await #expect(throws: PostgresError.self) { _ = try await fixture.store.usage.read() }
            #expect(error?.problem?.code == .overloaded)
            try await holder.script("ROLLBACK")
            await holder.close()
            #expect(try await !fixture.store.usage.read().tables.isEmpty)
        }
    }

    /// Large tables are not scanned. Pending rows are found through an index, and submissions are not read at all.
    @Test(.disabled(if: TestCluster.usesCitus, "sizes and estimates are those of the coordinator"))
    func noLargeTableIsRead() async throws {
        try await TestStore.run { fixture in
            try await fixture.store.pool.execute(
                """
                INSERT INTO outbox (id, kind, recipient, sent_at)
                SELECT gen_random_uuid(), 'test', 'a@example.org', now() FROM generate_series(1, 5000)
                """)
            try await fixture.store.pool.execute(
                """
                INSERT INTO webhook_delivery (id, webhook_id, event, body, give_up_at, delivered_at)
                SELECT gen_random_uuid(), gen_random_uuid(), 'form.opened', '{}', now(), now()
                FROM generate_series(1, 5000)
                """)
            try await Self.runAsSuperuser("ANALYZE outbox; ANALYZE webhook_delivery", in: fixture)
            for maxSummedBytes in [-1, 16 << 20] {
                let plan = try await CostOfTheClock.plan(DatabaseUsage.facts(maxSummedBytes: maxSummedBytes), fixture)
                #expect(!plan.contains { $0.contains(#/ on (submission|tally|timeline|outbox_age)\b/#) }, "\(plan)")
                for index in ["outbox_waiting", "webhook_delivery_waiting"] {
                    #expect(plan.contains { $0.contains(index) }, "\(plan)")
                }
                let forms = try #require(plan.first { $0.contains("on form_state") })
                #expect(forms.contains("never executed") == (maxSummedBytes < 0), "\(plan)")
            }
        }
    }
}
