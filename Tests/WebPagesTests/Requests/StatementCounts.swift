import Foundation
import Postgres
import TestSupport
import Testing

@testable import WebPages

/// The number of SQL statements that a page sends, including those for transactions and settings.
@Suite(.timeLimit(.minutes(5))) struct StatementCounts {
    private static let maxStatements = 16

    private static let questions: String = {
        let parts = (1...30).map { number in
            switch number % 3 {
            case 0: #"{"key": "q\#(number)", "kind": "text", "title": "Text \#(number)"}"#
            case 1: #"{"key": "q\#(number)", "kind": "rating", "title": "Rating \#(number)", "max": 5}"#
            default:
                #"{"key": "q\#(number)", "kind": "choice", "title": "Choice \#(number)", "#
                    + #""options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}"#
            }
        }
        return "[\(parts.joined(separator: ", "))]"
    }()

    private static let answers: String = {
        let parts = (1...30).map { number in
            switch number % 3 {
            case 0: #""q\#(number)": "Text to \#(number)""#
            case 1: #""q\#(number)": \#(number % 5 + 1)"#
            default: #""q\#(number)": "a""#
            }
        }
        return "{\(parts.joined(separator: ", "))}"
    }()

    private struct CountedPage {
        var page: HTTPTestClient.Response
        var statements: [Substring]
    }

    /// Runs a test with a PostgreSQL server that logs every statement.
    private func counting(
        _ body: (TestSite, PageBrowser, (String) async throws -> CountedPage) async throws -> Void
    ) async throws {
        let server = try await TestServer.start(logsStatements: true)
        let database = try await server.database()
        try await TestStore.use(database) { fixture in
            try await TestSite.serve(fixture, WebSiteOptions(publicURL: TestSite.origin)) { site in
                let host = try await site.signedIn()
                try await body(site, host) { path in
                    let before = try server.statements().count
                    var browser = host
                    let page = try await browser.get(path).expect(200)
                    // The notifications that follow earlier submissions are not statements of the page.
                    let sent = try server.statements().dropFirst(before).filter { !$0.contains("pg_notify(") }
                    return CountedPage(page: page, statements: sent)
                }
            }
        }
        await server.remove()
    }

    private func series(of site: TestSite, by host: PageBrowser, rounds: Int) async throws -> [TestMeeting] {
        let api = site.client.bearing(try host.session)
        let created = try await api.post("/v1/meetings", json: #"{"title": "M", "questions": \#(Self.questions)}"#)
        var meetings = [try TestMeeting(created: created, host: api, anyone: site.client)]
        for _ in 1..<rounds {
            let next = try await api.post("/v1/series/\(meetings[0].seriesID)/meetings", json: "{}")
            meetings.append(try TestMeeting(created: next, host: api, anyone: site.client))
        }
        for meeting in meetings {
            try await meeting.perform("publish").expect(200)
            for _ in 0..<3 { try await meeting.submit(Self.answers).expect(201) }
        }
        return meetings
    }

    @Test func resultsOfThirtyQuestionsInTwelveRoundsNeedFewStatements() async throws {
        try await counting { site, host, open in
            let meetings = try await series(of: site, by: host, rounds: 12)
            let counted = try await open("/meetings/\(meetings[11].id)/results")
            #expect(counted.statements.count <= Self.maxStatements, "\(counted.statements.joined(separator: "\n"))")
            #expect(!counted.statements.isEmpty)
            // The page is complete: it has the texts of all questions, and comparisons with the previous round.
            #expect(counted.page.count("Text to ") == 30)
            #expect(counted.page.count("/meetings/\(meetings[10].id)/results") >= 20)
        }
    }

    /// The session, the meeting with the revision of its results, and the state of the compared rounds are read. The
    /// other statements read the texts.
    @Test func unchangedResultsAreNotReadAgain() async throws {
        try await counting { site, host, open in
            let meetings = try await series(of: site, by: host, rounds: 3)
            let path = "/meetings/\(meetings[2].id)/results"
            // The first lines of the statements that read the counts of the results and of the compared rounds. The log
            // has one line for each statement.
            let (results, trends) = ("SELECT fs.form_id, fs.revision", "SELECT t.form_id, t.question")
            func reads(_ start: String, _ counted: CountedPage) -> Bool {
                counted.statements.contains { $0.contains(start) }
            }
            let first = try await open(path)
            #expect(reads(results, first) && reads(trends, first))
            let again = try await open(path)
            #expect(!reads(results, again) && !reads(trends, again), "\(again.statements.joined(separator: "\n"))")
            #expect(again.statements.count < first.statements.count)
            #expect(again.page.count("/meetings/\(meetings[1].id)/results") >= 20)
            try await meetings[1].submit(Self.answers).expect(201)
            let changed = try await open(path)
            #expect(!reads(results, changed) && reads(trends, changed))
        }
    }

    @Test func picturesOfUnchangedResultsShareOneReading() async throws {
        try await counting { site, host, open in
            let path = "/meetings/\(try await series(of: site, by: host, rounds: 1)[0].id)/pictures"
            for (picture, isReading) in [("q1.svg", true), ("q2.svg", false), ("q4.svg", false)] {
                let counted = try await open("\(path)/\(picture)")
                let reads = counted.statements.contains { $0.contains("SELECT fs.form_id, fs.revision") }
                #expect(reads == isReading, "\(picture)")
            }
        }
    }

    @Test func seriesPageNeedsFewStatements() async throws {
        try await counting { site, host, open in
            let meetings = try await series(of: site, by: host, rounds: 12)
            let counted = try await open("/series/\(meetings[0].seriesID)")
            #expect(counted.statements.count <= Self.maxStatements, "\(counted.statements.joined(separator: "\n"))")
            #expect(counted.page.count("<svg") >= 8)
        }
    }

    @Test func tabsOfAMeetingAndOfASeriesNeedFewStatements() async throws {
        try await counting { site, host, open in
            let meetings = try await series(of: site, by: host, rounds: 3)
            let (first, second) = ("/meetings/\(meetings[1].id)", "/series/\(meetings[0].seriesID)")
            for path in [first, first + "/now", second + "/rounds", second + "/settings"] {
                let counted = try await open(path)
                #expect(
                    counted.statements.count <= Self.maxStatements,
                    "\(path): \(counted.statements.joined(separator: "\n"))")
                #expect(counted.page.count("aria-current=\"page\"") == 2, "\(path)")
            }
        }
    }

    /// The organisation's look is read once. Later pages take it from memory.
    @Test func organisationNeedsNoStatementOfAPage() async throws {
        try await counting { site, host, open in
            let meeting = try await series(of: site, by: host, rounds: 1)[0]
            _ = try await open("/home")
            for path in ["/home", "/meetings/\(meeting.id)", "/f/\(meeting.code)", "/docs/components"] {
                let counted = try await open(path)
                #expect(!counted.statements.contains { $0.contains("organisation") }, "\(path)")
            }
        }
    }

    @Test func homePageWithTwentySeriesNeedsFewStatements() async throws {
        try await counting { site, host, open in
            let api = site.client.bearing(try host.session)
            for number in 1...20 {
                try await api.post("/v1/meetings", json: #"{"title": "Series \#(number)"}"#).expect(201)
            }
            let counted = try await open("/home")
            #expect(counted.statements.count <= Self.maxStatements, "\(counted.statements.joined(separator: "\n"))")
            #expect(counted.page.count("Series ") >= 8)
        }
    }
}
