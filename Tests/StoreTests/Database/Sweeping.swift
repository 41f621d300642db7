import Logging
import Postgres
import TestSupport
import Testing

@testable import Store

@Suite struct Sweeping {
    /// Tables with rows to delete, in the order in which they are swept.
    private static let tables = [
        "daily_mail_count", "outbox", "webhook_state", "webhook_delivery", "webhook_result", "attempt", "registration",
        "password_reset", "token", "share", "live_ticket", "meeting", "series", "image",
    ]

    /// Inserts one expired row into each of the tables.
    private func fill(_ fixture: TestStore) async throws {
        let shared = try await fixture.meeting()
        let trashed = try await fixture.meeting()
        let owner = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
        try await owner.script(
            """
            INSERT INTO daily_mail_count (account_id, day, mails) VALUES (gen_random_uuid(), '2000-01-01', 1);
            INSERT INTO outbox (id, kind, recipient, sent_at) VALUES (gen_random_uuid(), 'k', 'r', '2000-01-01');
            INSERT INTO webhook_state (webhook_id) VALUES (gen_random_uuid());
            INSERT INTO webhook_delivery (id, webhook_id, event, body, give_up_at, failed_at)
                VALUES (gen_random_uuid(), gen_random_uuid(), 'e', '{}', '2000-01-01', '2000-01-01');
            INSERT INTO webhook_result (form_id, revision, answered_at, notified_at)
                VALUES (gen_random_uuid(), 1, '2000-01-01', '2000-01-01');
            INSERT INTO attempt (key, times, expires_at) VALUES ('\\x00', '{}', '2000-01-01');
            INSERT INTO registration (id, hash, email, name, expires_at)
                VALUES (gen_random_uuid(), '\\x00', 'a@example.org', 'A', '2000-01-01');
            INSERT INTO password_reset (id, hash, account_id, expires_at)
                VALUES (gen_random_uuid(), '\\x00', gen_random_uuid(), '2000-01-01');
            INSERT INTO token (id, account_id, kind, scopes, hash, expires_at)
                VALUES (gen_random_uuid(), gen_random_uuid(), 'session', '{}', '\\x00', '2000-01-01');
            INSERT INTO live_ticket (hash, token_id, account_id, expires_at)
                VALUES ('\\x00', gen_random_uuid(), gen_random_uuid(), '2000-01-01');
            INSERT INTO image (digest, media_type, bytes)
                VALUES (decode(repeat('00', 32), 'hex'), 'image/png', '\\x00');
            """)
        try await owner.query(
            """
            INSERT INTO share (id, meeting_id, hash, created_by, expires_at)
            VALUES (gen_random_uuid(), \(shared.id), '\\x00', \(fixture.host.account.id), '2000-01-01')
            """)
        try await owner.query(
            "UPDATE meeting SET deleted_at = '2000-01-01', purges_at = '2000-01-31' WHERE id = \(trashed.id)")
        try await owner.query("UPDATE form_state SET trashed = true WHERE form_id = \(trashed.form.id)")
        // A separate series, because a trashed meeting's own series is only deleted after the meeting.
        try await owner.query(
            """
            INSERT INTO series (id, owner_id, title, code, deleted_at, purges_at)
            VALUES (gen_random_uuid(), \(fixture.host.account.id), 'Gone', 'gone000000000', '2000-01-01', '2000-01-31')
            """)
        await owner.close()
    }

    /// The tables that still have an expired row.
    private func unsweptTables(_ fixture: TestStore) async throws -> [String] {
        var unswept: [String] = []
        for table in Self.tables {
            let condition: Statement =
                switch table {
                case "meeting", "series": "t.deleted_at < '2001-01-01'"
                case "token", "share": "t.expires_at < '2001-01-01'"
                default: "true"
                }
            let rows = try await fixture.store.pool.query(
                "SELECT 1 FROM \(identifier: table) t WHERE \(fragment: condition)")
            if !rows.isEmpty { unswept.append(table) }
        }
        return unswept
    }

    @Test func everyTableIsSwept() async throws {
        try await TestStore.run { fixture in
            try await fill(fixture)
            #expect(try await unsweptTables(fixture) == Self.tables)
            try await fixture.store.sweep()
            #expect(try await unsweptTables(fixture) == [])
        }
    }

    @Test(arguments: tables) func failingTableIsReportedAndTheOthersAreSwept(broken: String) async throws {
        try await TestStore.run { fixture in
            try await fill(fixture)
            let tape = LogTape()
            let store = try await Store.open(
                Store.Configuration(url: fixture.database.url), keys: fixture.keys, logger: tape.logger(.warning))
            let owner = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await owner.script("REVOKE DELETE ON \(broken) FROM afterword_app")
            await #expect(throws: SweepFailure.self) { try await store.sweep() }
            // Shares are deleted together with their meeting.
            #expect(try await unsweptTables(fixture) == (broken == "share" ? ["share", "meeting"] : [broken]))
            #expect(!tape.lines.isEmpty && tape.lines.allSatisfy { $0.contains("42501") }, "\(tape.lines)")
            try await owner.script("GRANT DELETE ON \(broken) TO afterword_app")
            try await store.sweep()
            #expect(try await unsweptTables(fixture) == [])
            await owner.close()
            await store.close()
        }
    }
}
