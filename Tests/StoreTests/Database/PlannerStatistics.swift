import Foundation
import Postgres
import Store
import TestSupport
import Testing

/// The planner's statistics outlive the rows that they were sampled from, so they must not contain answers.
@Suite struct PlannerStatistics {
    /// Shards have the name of their table, followed by a number.
    private static func statistics(_ url: String) async throws -> [String] {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            // Otherwise Citus hides shards.
            try await connection.script("SET citus.show_shards_for_app_name_prefixes = '*'")
            return try await connection.query(
                """
                SELECT regexp_replace(tablename, '_[0-9]+$', '') || '.' || attname || ' ' || s::text FROM pg_stats s
                WHERE tablename ~ '^(submission|form_salt|form_state)(_[0-9]+)?$'
                """
            ).map { row in try row.decode(String.self) }
        }
    }

    @Test func statisticsContainNoAnswersKeysOrSalts() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: #""anonymous": true, "identity": "device""#)
            var receipts: [SubmissionReceipt] = []
            for number in 0..<40 {
                receipts.append(
                    try await fixture.submit(
                        #"{"pace": 4, "better": "secret \#(number)"}"#, to: meeting, key: "key \(number)",
                        respondent: String(repeating: "d", count: 30) + "\(number + 10)"))
            }
            let pool = fixture.store.pool
            let rows = try await pool.query(
                """
                SELECT encode(x.salt, 'hex'), s.id::text, encode(s.key_mac, 'hex'), encode(s.body_mac, 'hex')
                FROM submission s JOIN form_salt x ON x.form_id = s.form_id LIMIT 1
                """)
            let (salt, id, key, body) = try #require(rows.first).decode(
                String.self, String.self, String.self, String.self)
            // Uses the owner's connection, because the service may not run ANALYZE.
            let owner = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await owner.script("ANALYZE submission; ANALYZE form_salt; ANALYZE form_state")
            for receipt in receipts.prefix(3) {
                try await fixture.store.submissions.withdraw(
                    receipt.id, code: meeting.form.code, receipt: receipt.receipt)
            }
            await owner.close()
            var lines: [String] = []
            for url in [fixture.database.url] + fixture.database.workerURLs {
                lines += try await Self.statistics(url)
            }
            #expect(lines.contains { $0.hasPrefix("submission.submitted_on ") }, "statistics were collected")
            for secret in ["secret", salt, id, key, body] {
                #expect(!lines.contains { $0.contains(secret) }, "\(secret)")
            }
        }
    }
}
