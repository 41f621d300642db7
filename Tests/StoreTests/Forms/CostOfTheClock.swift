import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// The cost of one tick of the clock with many forms, and its effect on other statements.
@Suite struct CostOfTheClock {
    /// Inserts `count` meetings with closed forms, and as many with drafts to be published years from now.
    static func fill(_ count: Int, _ fixture: TestStore) async throws {
        let pool = fixture.store.pool
        let meeting = try await fixture.meeting(TestStore.questions)
        let ids = "SELECT n, md5('old' || n)::uuid AS id FROM generate_series(1, \(2 * count)::int) n" as Statement
        try await pool.execute(
            """
            INSERT INTO meeting (id, series_id, host_id, round, title, time_zone, check_in_code)
            SELECT o.id, \(meeting.seriesID), \(fixture.host.account.id), o.n + 1, 'Old', 'UTC', lpad(o.n::text, 13, '0')
            FROM (\(fragment: ids)) o
            """)
        try await pool.execute(
            """
            INSERT INTO form (id, meeting_id, code, join_code, definition, version, publishes_at)
            SELECT o.id, o.id, lpad(o.n::text, 13, '0'), lpad(o.n::text, 8, '0'), f.definition,
                CASE WHEN o.n > \(count) THEN 0 ELSE 1 END, now() + interval '10 years'
            FROM (\(fragment: ids)) o, form f WHERE f.id = \(meeting.form.id)
            """)
        try await pool.execute(
            """
            INSERT INTO form_state (form_id, state, notified, closes_at, key_id, updated_at)
            SELECT o.id, CASE WHEN o.n > \(count) THEN 'draft' ELSE 'open' END,
                CASE WHEN o.n > \(count) THEN 'draft' ELSE 'closed' END, now() - interval '1 day', 1, now()
            FROM (\(fragment: ids)) o
            """)
        let maintenance = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
        try await maintenance.script("ANALYZE meeting; ANALYZE form; ANALYZE form_state")
        await maintenance.close()
    }

    /// Deletes all forms, which the recount at the end of a test would otherwise check one by one.
    static func empty(_ fixture: TestStore) async throws {
        let maintenance = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
        try await maintenance.script("TRUNCATE meeting, form_state CASCADE")
        await maintenance.close()
    }

    static func plan(_ statement: Statement, _ fixture: TestStore) async throws -> [String] {
        try await fixture.store.pool.query("EXPLAIN (ANALYZE, BUFFERS) " + statement)
            .map { row -> String in try row.decode(String.self) }
    }

    @Test func oldFormsDoNotSlowTheClock() async throws {
        try await TestStore.run { fixture in
            try await Self.fill(10_000, fixture)
            for (statement, index) in [
                (FormClock.dueStates, "form_state_due"), (FormClock.dueDrafts, "form_publishes"),
                (FormClock.dueFinals, "form_state_finishes"),
            ] {
                let plan = try await Self.plan(statement, fixture)
                let run = plan.prefix { $0 != "Planning:" }
                #expect(run.contains { $0.contains("Index Scan") && $0.contains(" \(index)") }, "\(plan)")
                #expect(!run.contains { $0.contains("Seq Scan") || $0.contains("Rows Removed") }, "\(plan)")
                let pages = try #require(run.first { $0.contains("Buffers:") }?.matches(of: /=(\d+)/))
                #expect(pages.compactMap { Int($0.output.1) }.reduce(0, +) < 20, "\(plan)")
            }
            #expect(try await fixture.store.clock.tick().isEmpty)
            try await Self.empty(fixture)
        }
    }

    /// If an index contained a column that ingest updates, or depended on one in its condition, each update would also
    /// write to the index.
    @Test func submissionsUpdateFormStatesWithinTheirPage() async throws {
        try await TestStore.run { fixture in
            let soon = Date(timeIntervalSinceNow: 3600).formatted(.iso8601)
            let meeting = try await fixture.openMeeting(settings: "\"anonymous\": true, \"closes\": \"\(soon)\"")
            // On a cluster, the statistics are those of the worker that has the form.
            let workers = fixture.database.workerURLs
            var (updates, inPage) = (0, 0)
            for url in workers.isEmpty ? [fixture.database.url] : workers {
                let connection = try await Connection.connect(PostgresConfiguration(url: url))
                try await connection.script("BEGIN")
                for _ in 0..<20 {
                    try await connection.query(
                        """
                        SELECT ingest(\(meeting.form.id), ARRAY[gen_random_uuid()], ARRAY[1], ARRAY['{}'],
                            ARRAY[NULL]::uuid[], ARRAY['\\x00'::bytea], ARRAY['\\x00'::bytea], '{}', '{}', '{}', '{}', false,
                            NULL)
                        """)
                }
                // Otherwise Citus hides shards.
                try await connection.script("SET LOCAL citus.show_shards_for_app_name_prefixes = '*'")
                let rows = try await connection.query(
                    """
                    SELECT coalesce(sum(n_tup_upd), 0)::bigint, coalesce(sum(n_tup_hot_upd), 0)::bigint
                    FROM pg_stat_xact_user_tables WHERE relname ~ '^form_state(_[0-9]+)?$'
                    """)
                let counts = try rows.single().decode(Int.self, Int.self)
                (updates, inPage) = (updates + counts.0, inPage + counts.1)
                try await connection.script("ROLLBACK")
                await connection.close()
            }
            #expect(updates >= 20 && inPage == updates, "\(inPage) of \(updates) updates stayed in their page")
        }
    }
}
