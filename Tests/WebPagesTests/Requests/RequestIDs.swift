import HTTPAPI
import Postgres
import TestSupport
import Testing

@testable import WebPages

/// The id of a page's request, by which its log lines are found.
@Suite(.timeLimit(.minutes(3))) struct RequestIDs {
    @Test func pagesAndTheirLogLinesHaveTheSameID() async throws {
        let tape = LogTape()
        try await TestSite.run(logger: tape.logger()) { site in
            var browser = PageBrowser(site.client)
            let form = try await browser.get("/sign-in").expect(200)
            let refusal = try await browser.post("/sign-in", ["email": "host@example.org", "password": "wrong"])
            let id = try #require(refusal["X-Request-Id"])
            #expect(refusal.status == 401 && form["X-Request-Id"] != nil && form["X-Request-Id"] != id)
            #expect(tape.lines.contains { $0.contains("event=sign-in-failed ") && $0.contains("request=\(id)") })
            let forgery = try await browser.post("/sign-out", headers: ["Sec-Fetch-Site": "cross-site"])
            let forged = try #require(forgery["X-Request-Id"])
            #expect(tape.lines.contains { $0.contains("event=forged-form ") && $0.contains("request=\(forged)") })
        }
    }

    @Test func failedPageIsFoundInTheLogByItsID() async throws {
        let tape = LogTape()
        try await TestSite.run(logger: tape.logger()) { site in
            var host = try await site.signedIn()
            let owner = try await Connection.connect(PostgresConfiguration(url: site.fixture.database.url))
            try await owner.script("ALTER TABLE series_host RENAME TO missing")
            let page = try await host.get("/home")
            try await owner.script("ALTER TABLE missing RENAME TO series_host")
            await owner.close()
            let id = try #require(page["X-Request-Id"])
            #expect(page.status == 500)
            let line = try #require(tape.lines.first { $0.hasPrefix("error A page failed ") })
            #expect(line.contains("request=\(id)") && line.contains("page=/home"), "\(line)")
        }
    }
}
