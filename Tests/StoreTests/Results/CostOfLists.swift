import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// The cost of two frequent reads when other accounts have many meetings: an account's current meetings, and rankings.
@Suite(.timeLimit(.minutes(15))) struct CostOfLists {
    @Test func meetingsOfOthersAreNotRead() async throws {
        try await TestStore.run { fixture in
            let other = try await TestStore.account("other@example.org", "Otto", .host, in: fixture.store)
            let (own, shared) = (try await fixture.openMeeting(), try await fixture.openMeeting())
            let pool = fixture.store.pool
            let id = other.account.id
            try await pool.execute("UPDATE series SET owner_id = \(id) WHERE id = \(own.seriesID)")
            try await pool.execute(
                "INSERT INTO series_host (series_id, account_id, role) VALUES (\(shared.seriesID), \(id), 'viewer')")
            try await CostOfTheClock.fill(2_000, fixture)
            try await pool.execute(
                """
                INSERT INTO series (id, owner_id, title, code)
                SELECT id, \(fixture.host.account.id), 'Old', check_in_code FROM meeting WHERE title = 'Old'
                """)
            try await pool.execute("UPDATE meeting SET series_id = id WHERE title = 'Old'")
            let maintenance = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await maintenance.script("ANALYZE meeting; ANALYZE series")
            await maintenance.close()
            let listed = try await fixture.store.viewerAccess.current(for: .account(id))
            #expect(Set(listed.map(\.id)) == [own.id, shared.id])
            let plan = try await CostOfTheClock.plan(ViewerAccess.list(for: .account(id)), fixture)
            let run = plan.prefix { $0 != "Planning:" }
            #expect(!run.contains { $0.contains(#/Seq Scan on (meeting|form|form_state)\b/#) }, "\(plan)")
            let pages = try #require(run.first { $0.contains("Buffers:") }?.matches(of: /=(\d+)/))
            #expect(pages.compactMap { Int($0.output.1) }.reduce(0, +) < 200, "\(plan)")
            try await CostOfTheClock.empty(fixture)
        }
    }

    /// A host's ranking starts from the host's own series. An admin's ranking covers all series and starts from the
    /// question's key.
    @Test func rankingReadsNoQuestionsOfOthers() async throws {
        try await TestStore.run { fixture in
            let other = try await TestStore.account("other@example.org", "Otto", .host, in: fixture.store)
            let own = try await fixture.openMeeting()
            let pool = fixture.store.pool
            try await pool.execute(
                "UPDATE series SET owner_id = \(other.account.id) WHERE id = \(own.seriesID)")
            try await CostOfTheClock.fill(2_000, fixture)
            try await pool.execute(
                """
                INSERT INTO series (id, owner_id, title, code)
                SELECT id, \(fixture.host.account.id), 'Old', check_in_code FROM meeting WHERE title = 'Old'
                """)
            try await pool.execute("UPDATE meeting SET series_id = id WHERE title = 'Old'")
            try await pool.execute(
                """
                INSERT INTO question (form_id, key, position, definition, first_version, last_version)
                SELECT m.id, k.key, 1, jsonb_build_object('key', k.key, 'kind', 'rating', 'min', 1, 'max', 5), 1, 1
                FROM meeting m, (VALUES ('pace'), ('rare'), ('third'), ('fourth')) AS k (key)
                WHERE m.title = 'Old' AND (k.key <> 'rare' OR m.round < 10)
                """)
            let maintenance = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await maintenance.script("ANALYZE meeting; ANALYZE series; ANALYZE form; ANALYZE question")
            await maintenance.close()
            let nobody = try await TestStore.account("none@example.org", "Nora", .host, in: fixture.store)
            for (principal, key) in [(other, "pace"), (nobody, "pace"), (fixture.admin, "rare")] {
                let query = RankingQuery(key: key, unit: .series)
                let plan = try await CostOfTheClock.plan(Rankings.statement(query, for: principal), fixture)
                let run = plan.prefix { $0 != "Planning:" }
                #expect(!run.contains { $0.contains(#/Seq Scan on (question|meeting|form)\b/#) }, "\(plan)")
                let pages = try #require(run.first { $0.contains("Buffers:") }?.matches(of: /=(\d+)/))
                #expect(pages.compactMap { Int($0.output.1) }.reduce(0, +) < 200, "\(plan)")
            }
            try await CostOfTheClock.empty(fixture)
        }
    }
}
