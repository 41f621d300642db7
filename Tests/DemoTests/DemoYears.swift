import Demo
import Domain
import Foundation
import Postgres
import Store
import TestSupport
import Testing

@Suite struct DemoYears {
    /// A Sunday at noon.
    private static let now = Date(timeIntervalSince1970: 1_795_348_800)

    @Test func yearHasRoundsWithCorrectCounts() async throws {
        try await TestStore.run { test in
            let report = try await DemoYear(in: test.store, for: test.host.account, now: Self.now).make()
            #expect(report.series == 6 && report.meetings == 104 && report.submissions > 2_000)
            let recount = try await test.store.verification.run(meeting: nil, repair: false) { _, _ in }
            #expect(recount.submissions == report.submissions && recount.differenceCount == 0)
            let rows = try await test.store.pool.query(
                """
                SELECT count(*) FILTER (WHERE s.submitted_at > \(Self.now)),
                    count(*) FILTER (WHERE s.submitted_at < m.starts_at), count(DISTINCT m.id)
                FROM submission s JOIN form f ON f.id = s.form_id JOIN meeting m ON m.id = f.meeting_id
                WHERE s.submitted_at IS NOT NULL AND m.ends_at < \(Self.now)
                """)
            let (later, earlier, answered) = try #require(rows.first).decode(Int.self, Int.self, Int.self)
            #expect(
                later == 0 && earlier == 0, "submissions follow the start of their meeting and are not in the future")
            #expect(answered >= 100)
        }
    }

    @Test func eachRoundHasAResponseRate() async throws {
        try await TestStore.run { test in
            _ = try await DemoYear(in: test.store, for: test.host.account, now: Self.now).make()
            let rows = try await test.store.pool.query("SELECT id FROM meeting WHERE ends_at < \(Self.now)")
            for row in rows {
                let meeting = try await test.store.meetings.require(try row.decode(UUID.self), by: test.host)
                let rate = try #require(FormResults.responseRate(meeting)?.rate)
                #expect((0.3...1).contains(rate), "\(meeting.title)")
            }
        }
    }

    @Test func badRoundIsRatedLowerThanItsNeighbors() async throws {
        try await TestStore.run { test in
            _ = try await DemoYear(in: test.store, for: test.host.account, now: Self.now).make()
            let rows = try await test.store.pool.query(
                """
                SELECT m.round, avg((s.answers ->> 'clear')::int)::float8
                FROM submission s JOIN form f ON f.id = s.form_id JOIN meeting m ON m.id = f.meeting_id
                JOIN series r ON r.id = m.series_id
                WHERE r.title = 'Distributed systems' GROUP BY m.round ORDER BY m.round
                """)
            let means = try rows.map { try $0.decode(Int.self, Double.self).1 }
            #expect(means.count == 14)
            #expect(means[4] < means[3] - 0.5 && means[4] < means[5] - 0.5)
        }
    }

    @Test func sameSeedProducesTheSameAnswers() async throws {
        var digests: [String] = []
        for seed: UInt64 in [7, 7, 8] {
            digests.append(
                try await TestStore.run { test in
                    _ = try await DemoYear(in: test.store, for: test.host.account, now: Self.now, seed: seed).make()
                    let rows = try await test.store.pool.query(
                        """
                        SELECT md5(string_agg(m.title || s.answers::text, '' ORDER BY m.title, s.answers::text))
                        FROM submission s JOIN form f ON f.id = s.form_id JOIN meeting m ON m.id = f.meeting_id
                        """)
                    return try #require(rows.first).decode(String.self)
                })
        }
        #expect(digests[0] == digests[1] && digests[1] != digests[2])
    }

    @Test func databaseWithMeetingsIsNotChanged() async throws {
        try await TestStore.run { test in
            _ = try await test.meeting()
            await #expect(throws: DemoYear.DatabaseNotEmpty.self) {
                try await DemoYear(in: test.store, for: test.host.account).make()
            }
            let rows = try await test.store.pool.query("SELECT count(*) FROM meeting")
            #expect(try #require(rows.first).decode(Int.self) == 1)
        }
    }
}
