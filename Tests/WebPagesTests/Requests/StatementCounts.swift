import Foundation
import Postgres
import TestSupport
import Testing

@testable import WebPages

/// How many SQL statements a page sends, with everything that PostgreSQL is asked: transactions and settings too.
@Suite(.timeLimit(.minutes(5))) struct StatementCounts {
    private static let limit = 15

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

    private struct Counted {
        var page: HTTPTestClient.Answer
        var statements: [Substring]
    }

    /// Runs a test on a server whose log has every statement.
    private func counting(
        _ body: (TestSite, PageBrowser, (String) async throws -> Counted) async throws -> Void
    ) async throws {
        let server = try await TestServer.start()
        let database = try await server.database()
        try await TestStore.use(database) { fixture in
            try await TestSite.serve(fixture, WebSiteOptions(publicURL: TestSite.origin)) { site in
                let host = try await site.signedIn()
                try await body(site, host) { path in
                    try await server.logStatements()
                    let before = try server.statements().count
                    var browser = host
                    let page = try await browser.get(path).expect(200)
                    // Those of the service's own, after submissions that came before, are not the page's.
                    let sent = try server.statements().dropFirst(before).filter { !$0.contains("pg_notify(") }
                    return Counted(page: page, statements: sent)
                }
            }
        }
        await server.remove()
    }

    private func series(of site: TestSite, by host: PageBrowser, rounds: Int) async throws -> [TestMeeting] {
        let api = site.client.bearing(try host.session)
        let made = try await api.post("/v1/meetings", json: #"{"title": "M", "questions": \#(Self.questions)}"#)
        var meetings = [try TestMeeting(made: made, host: api, anyone: site.client)]
        for _ in 1..<rounds {
            let next = try await api.post("/v1/series/\(meetings[0].seriesID)/meetings", json: "{}")
            meetings.append(try TestMeeting(made: next, host: api, anyone: site.client))
        }
        for meeting in meetings {
            try await meeting.perform("publish").expect(200)
            for _ in 0..<3 { try await meeting.submit(Self.answers).expect(201) }
        }
        return meetings
    }

    @Test func resultsOfThirtyQuestionsInTwelveRoundsTakeFewStatements() async throws {
        try await counting { site, host, open in
            let meetings = try await series(of: site, by: host, rounds: 12)
            let counted = try await open("/meetings/\(meetings[11].id)/results")
            #expect(counted.statements.count <= Self.limit, "\(counted.statements.joined(separator: "\n"))")
            #expect(!counted.statements.isEmpty)
            // Nothing is left out: texts of each question, and the comparison of each number with the round before.
            #expect(counted.page.count("Text to ") == 30)
            #expect(counted.page.count("/meetings/\(meetings[10].id)/results") >= 20)
        }
    }

    @Test func aSeriesPageTakesFewStatements() async throws {
        try await counting { site, host, open in
            let meetings = try await series(of: site, by: host, rounds: 12)
            let counted = try await open("/series/\(meetings[0].seriesID)")
            #expect(counted.statements.count <= Self.limit, "\(counted.statements.joined(separator: "\n"))")
            #expect(counted.page.count("<svg") >= 8)
        }
    }

    @Test func aHomeOfTwentySeriesTakesFewStatements() async throws {
        try await counting { site, host, open in
            let api = site.client.bearing(try host.session)
            for number in 1...20 {
                try await api.post("/v1/meetings", json: #"{"title": "Series \#(number)"}"#).expect(201)
            }
            let counted = try await open("/home")
            #expect(counted.statements.count <= Self.limit, "\(counted.statements.joined(separator: "\n"))")
            #expect(counted.page.count("Series ") >= 8)
        }
    }
}
