import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// The cost of frequent reads in a large database: an account's current meetings, rankings and the calendar.
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
    @Test(.disabled(if: TestCluster.usesCitus, "the pages are those that all servers read"))
    func rankingReadsNoQuestionsOfOthers() async throws {
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

    /// The statistics then say that most attendees are those of any meeting, so PostgreSQL prefers to read all of them.
    @Test func calendarReadsTheAttendeesOnceIfMostAttendedOneMeeting() async throws {
        try await TestStore.run { fixture in
            let pool = fixture.store.pool
            try await CostOfTheClock.fill(400, fixture)
            try await pool.execute(
                """
                UPDATE meeting SET starts_at = (timestamp '2030-01-01 00:00' + make_interval(hours => 8 * round)) AT TIME ZONE 'UTC',
                    ends_at = (timestamp '2030-01-01 01:00' + make_interval(hours => 8 * round)) AT TIME ZONE 'UTC',
                    allow_overlap = true
                WHERE title = 'Old'
                """)
            try await pool.execute(
                """
                INSERT INTO attendee (id, meeting_id, name, status)
                SELECT gen_random_uuid(), m.id, 'Ann', 'present'
                FROM meeting m, generate_series(1, 9000) WHERE m.title = 'Old' AND m.round = 2
                """)
            let maintenance = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await maintenance.script("ANALYZE meeting; ANALYZE attendee")
            await maintenance.close()
            let (start, end) = (MeetingCalendar.Bound.day("2030-01-01"), MeetingCalendar.Bound.day("2031-01-01"))
            for principal in [fixture.host, fixture.admin] {
                let days = try await fixture.store.calendar.days(
                    from: start, to: end, timeZone: "UTC", for: principal)
                let (meetings, attended) = (days.map(\.meetings).reduce(0, +), days.map(\.attended).reduce(0, +))
                #expect(meetings == 800 && attended == 9_000)
                let plan = try await CostOfTheClock.plan(
                    MeetingCalendar.statement(from: start, to: end, timeZone: "UTC", for: principal), fixture)
                let run = plan.prefix { $0 != "Planning:" }
                let pages = try #require(run.first { $0.contains("Buffers:") }?.matches(of: /=(\d+)/))
                // Reading all attendees for each meeting would take 90,000.
                #expect(pages.compactMap { Int($0.output.1) }.reduce(0, +) < 20_000, "\(plan)")
            }
            try await CostOfTheClock.empty(fixture)
        }
    }
}
