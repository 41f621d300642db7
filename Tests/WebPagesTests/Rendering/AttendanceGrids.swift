import Foundation
import Postgres
import Store
import TestSupport
import Testing

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
            let grid = try await site.fixture.store.attendees.grid(of: seriesID)
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
