import Foundation
import HTTPAPI
import HTTPServer
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// Access to the pages of a meeting and of a series. Two tests open all such pages of the site's own table of routes.
@Suite(.timeLimit(.minutes(3))) struct PageAccess {
    /// The paths of all pages of the meeting and of its series.
    private func paths(_ site: TestSite, _ meeting: TestMeeting) async throws -> [String] {
        let api = try AfterwordAPI.api(store: site.fixture.store, metrics: PrometheusRegistry())
        let pages = WebSite(
            api, store: site.fixture.store, resources: try await TestSite.resources.value,
            options: WebSiteOptions(publicURL: TestSite.origin))
        let patterns = pages.routes.filter { $0.methods.contains("GET") }.map(\.pattern)
        let values = ["key": "pace", "file": "submissions.csv", "attendee": meeting.id, "member": meeting.id]
        return patterns.filter { $0.hasPrefix("/meetings/{id}") || $0.hasPrefix("/series/{id}") }.map { pattern in
            let id = pattern.hasPrefix("/meetings") ? meeting.id : meeting.seriesID
            return pattern.replacing("{id}", with: id)
                .replacing(/\{([a-zA-Z]+)\}/) { values[String($0.1)] ?? meeting.id }
        }
    }

    @Test func picturesWithoutAnSVGEndingAreNotFound() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            for name in ["live", "pace", "pace.json"] {
                try await host.get("/meetings/\(meeting.id)/pictures/\(name)").expect(404)
            }
            try await host.get("/meetings/\(meeting.id)/pictures/pace.svg").expect(200)
        }
    }

    @Test func otherHostsFindNoPageOfAMeetingOrASeries() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: try await site.signedIn())
            _ = try await TestStore.account("other@example.org", "Otto Other", .host, in: site.fixture.store)
            var other = try await site.signedIn("other@example.org")
            let paths = try await paths(site, meeting)
            #expect(paths.count >= 20)
            for path in paths {
                let page = try await other.open(path)
                #expect(page.status == 404, "\(path)")
                #expect(!page.text.contains("Hanna"), "\(path)")
            }
        }
    }

    @Test func viewersHaveNoPageAboutAPerson() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            try await meeting.add("Nina Named", "nina@example.org").expect(201)
            _ = try await TestStore.account("other@example.org", "Otto Other", .host, in: site.fixture.store)
            var other = try await site.signedIn("other@example.org")
            let path = "/series/\(meeting.seriesID)/person?email=nina@example.org"
            try await host.get(path).expect(200)
            let viewer = #"{"email": "other@example.org", "role": "viewer"}"#
            try await meeting.host.post("\(meeting.seriesPath)/hosts", json: viewer).expect(201)
            let page = try await other.get(path)
            #expect(page.status == 403 && !page.text.contains("Nina"))
        }
    }

    @Test func visitorsWithoutASessionAreSentToTheSignIn() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: try await site.signedIn())
            for path in try await paths(site, meeting) {
                var visitor = PageBrowser(site.client)
                let page = try await visitor.get(path)
                // A page that only redirects to the page of the series does so for everybody.
                let redirectsToSeries = page["Location"]?.hasPrefix("/series/") == true
                #expect(
                    page.status == 303 && (page["Location"]?.hasPrefix("/sign-in") == true || redirectsToSeries),
                    "\(path)")
            }
        }
    }

    @Test func apiTokenDoesNotOpenPages() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let created = try await site.client.bearing(try host.session).post(
                "/v1/tokens",
                json: #"{"name": "t", "scopes": ["meetings:read"], "expiresAt": "\#(RFC3339.format(.now + 86_400))"}"#)
            try created.expect(201)
            var browser = host
            for name in browser.cookies.keys where name.hasSuffix("afterword-session") {
                browser.cookies[name] = try created.string("token")
            }
            #expect(try await browser.get("/meetings/\(meeting.id)/results").status == 303)
        }
    }

    @Test func refusedPagesAreLoggedWithTheirPatternOnly() async throws {
        let tape = LogTape()
        try await TestSite.run(logger: tape.logger()) { site in
            let meeting = try await site.openForm(by: try await site.signedIn())
            let account = try await TestStore.account("other@example.org", "Otto Other", .host, in: site.fixture.store)
            var other = try await site.signedIn("other@example.org")
            let page = try await other.get("/meetings/\(meeting.id)")
            let line = try #require(tape.lines.first { $0.contains("event=object-not-found ") })
            let id = try #require(page["X-Request-Id"])
            #expect(page.status == 404 && line.contains("request=\(id)"))
            #expect(line.contains("account=\(account.account.id.uuidString.lowercased()) "))
            #expect(line.contains("route=GET /meetings/{id}") && !line.contains(meeting.id))
        }
    }

    @Test func revokedSessionReadsNothing() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            try await host.get("/meetings/\(meeting.id)").expect(200)
            try await site.fixture.store.pool.execute("UPDATE token SET revoked_at = now()")
            #expect(try await host.get("/meetings/\(meeting.id)").status == 303)
            #expect(try await host.get("/home").status == 303)
        }
    }
}
