import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store
@testable import WebPages

/// The grid of attendance on the people page of a series: exact rates, for hosts and editors only.
@Suite(.timeLimit(.minutes(5))) struct AttendanceGrids {
    /// Lets the meeting begin and end by hours from now.
    private static func move(_ meeting: TestMeeting, from start: Double, to end: Double, _ site: TestSite) async throws
    {
        try await site.fixture.store.pool.execute(
            """
            UPDATE meeting SET starts_at = now() + \(start) * interval '1 hour',
                ends_at = now() + \(end) * interval '1 hour', time_zone = 'UTC', allow_overlap = true
            WHERE id = \(UUID(uuidString: meeting.id))
            """)
    }

    @Test func ratesCountPresentAndLateOfThoseOnTheListOfAnEndedRound() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let first = try await site.openForm(by: host)
            let second = try await first.next(publish: false)
            let running = try await second.next(publish: false)
            let later = try await running.next(publish: false)
            for (meeting, status) in [(first, "present"), (second, "late")] {
                try await meeting.add("Ann", "ann@example.org", status: status).expect(201)
            }
            try await first.add("Bob", "bob@example.org").expect(201)
            try await second.add("Bob", "Bob@example.org", status: "present").expect(201)
            try await second.add("No address").expect(201)
            try await running.add("Annie", "ANN@example.org").expect(201)
            try await later.add("Cy", "cy@example.org").expect(201)
            try await Self.move(first, from: -50, to: -49, site)
            try await Self.move(second, from: -26, to: -25, site)
            try await Self.move(running, from: -0.5, to: 1, site)
            try await Self.move(later, from: 24, to: 25, site)

            let seriesID = try #require(UUID(uuidString: first.seriesID))
            let grid = try await site.fixture.store.attendees.grid(
                of: seriesID, for: site.fixture.host.account.id)
            #expect(grid.rounds.map(\.round) == [1, 2, 3], "a round to come has no column")
            #expect(grid.people.map(\.name) == ["Annie", "Bob"] && !grid.hasMorePeople)
            #expect(
                grid.rounds.map(\.counts) == [.init(attended: 1, absent: 1), .init(attended: 2, absent: 1), .init()])
            #expect(grid.people.map(\.counts) == [.init(attended: 2), .init(attended: 1, absent: 1)])
            #expect(grid.rounds[1].counts.rate == 2.0 / 3 && grid.rounds[2].counts.rate == nil)
            #expect(grid.people[0].statuses.count == 3 && grid.people[1].statuses.count == 2)

            var browser = host
            let page = try await browser.get("/series/\(first.seriesID)/people").expect(200).text
            for part in [
                ">100 % <span class=\"hint\">2 of 2</span>", ">50 % <span class=\"hint\">1 of 2</span>",
                ">67 % <span class=\"hint\">2 of 3</span>",
                "<td class=\"unlisted\"><span class=\"away\">Not on the list</span>",
                "<span aria-hidden=\"true\">◐</span><span class=\"away\">Late</span>",
            ] { #expect(page.contains(part), "\(part)") }
        }
    }

    @Test func peopleOfTheNewestRoundsAreChosenFirst() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let first = try await site.openForm(by: host)
            let second = try await first.next(publish: false)
            let ids = try [first, second].map { try #require(UUID(uuidString: $0.id)) }
            // The names of the older round come first in the alphabet.
            for (id, letter, count) in [(ids[0], "a", 300), (ids[1], "b", 150)] {
                try await site.fixture.store.pool.execute(
                    """
                    INSERT INTO attendee (id, meeting_id, name, email, status, checked_in_at)
                    SELECT gen_random_uuid(), \(id), \(letter) || n, \(letter) || n || '@example.org', 'present', now()
                    FROM generate_series(1, \(count)) AS n
                    """)
            }
            let seriesID = try #require(UUID(uuidString: first.seriesID))
            let grid = try await site.fixture.store.attendees.grid(of: seriesID, for: site.fixture.host.account.id)
            #expect(grid.people.count == AttendanceGrid.maxPeople && grid.hasMorePeople)
            #expect(grid.people.count { $0.name.hasPrefix("b") } >= 149)
            #expect(grid.rounds.map(\.counts.attended) == [300, 150])
        }
    }

    /// The grid takes the same permits and limits of time as results over rounds.
    @Test func gridOfAnAccountWaitsForItsOtherReadings() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let form = try await site.openForm(by: host)
            let seriesID = try #require(UUID(uuidString: form.seriesID))
            let (store, account) = (site.fixture.store, site.fixture.host.account.id)
            let lease = try await store.roundReadings.accountPermits.acquire(
                for: account, within: .zero, else: "", retryAfter: 1)
            let refused = try await problem { _ = try await store.attendees.grid(of: seriesID, for: account) }
            #expect(refused != nil)
            _ = try await store.attendees.grid(of: seriesID, for: site.fixture.admin.account.id)
            withExtendedLifetime(lease) {}
        }
    }

    @Test func viewersGetNoNames() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            try await meeting.add("Ann", "ann@example.org", status: "present").expect(201)
            let account = try await TestStore.account("viewer@example.org", "Viewer", .host, in: site.fixture.store)
            try await site.fixture.store.pool.execute(
                """
                INSERT INTO series_host (series_id, account_id, role)
                VALUES (\(UUID(uuidString: meeting.seriesID)), \(account.account.id), 'viewer')
                """)
            var viewer = try await site.signedIn("viewer@example.org")
            let page = try await viewer.get("/series/\(meeting.seriesID)/people")
            #expect(page.status == 403 && !page.text.contains("ann@example.org") && !page.text.contains(">Ann<"))
        }
    }
}
