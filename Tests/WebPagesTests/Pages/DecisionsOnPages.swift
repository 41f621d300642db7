import Contract
import TestSupport
import Testing

@testable import WebPages

/// Decisions are noted on a page of their own, and come back in the next round.
@Suite(.timeLimit(.minutes(5))) struct DecisionsOnPages {
    @Test func decisionsComeBackInTheNextRound() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let first = try await site.openForm(by: host, settings: #""identity": "open""#)
            let path = "/meetings/\(first.id)"
            let empty = try await host.get(path + "/results").expect(200).text
            #expect(empty.contains("\(path)/decisions") && !empty.contains("We decided"))
            let tag = try await Self.tag(&host, path)
            try await host.post(
                path + "/decisions",
                [
                    "act": "save", "tag": tag, "text-0": "Begin at <nine>", "question-0": "better", "shown-0": "on",
                    "text-1": "  ", "done-1": "on", "text-2": "For hosts only", "question-2": "", "done-2": "on",
                ]
            ).expect(303)
            let results = try await host.get(path + "/results").expect(200).text
            #expect(results.contains("We decided") && results.contains("Begin at &lt;nine&gt;"))
            let summary = try await host.get(path + "/summary").expect(200).text
            #expect(summary.contains("– Begin at &lt;nine&gt;\n– For hosts only (done)"))
            #expect(try await host.get(path + "/report").expect(200).text.contains("For hosts only"))

            let second = try await first.next()
            let next = "/meetings/\(second.id)"
            let later = try await host.get(next + "/results").expect(200).text
            #expect(later.contains("Last time we decided") && later.contains("For hosts only"))
            let series = try await host.get("/series/\(first.seriesID)").expect(200).text
            #expect(series.contains("Last time we decided") && series.contains("For hosts only"))
            let stage = try await host.get(next + "/stage").expect(200).text
            #expect(stage.contains("slide-decisions") && !stage.contains("For hosts only"))
            #expect(try await host.get(next + "/remote").expect(200).text.contains("Last time we decided"))
            var guest = PageBrowser(site.client)
            let form = try await guest.get("/f/\(second.code)").expect(200).text
            #expect(form.contains("Last time we decided") && form.contains("Begin at &lt;nine&gt;"))
            #expect(!form.contains("For hosts only"))
            #expect(try await !guest.get("/f/\(first.code)").expect(200).text.contains("Last time we decided"))

            let ticks = try await host.get(next + "/decisions").expect(200).text
            let lastTag = try #require(ticks.firstMatch(of: /name="tag" value="([^"]*)"/)?.1)
            let last = [
                "act": "last", "tag": Self.unescaped(lastTag), "meeting": first.id, "last-0": "on", "last-1": "on",
            ]
            try await host.post(next + "/decisions", last).expect(303)
            #expect(try await guest.get("/f/\(second.code)").expect(200).text.contains("Done: </span>Begin"))
            let stale = try await host.post(next + "/decisions", last)
            #expect(stale.status == 412)
        }
    }

    @Test func refusedDecisionsAreShownAsTyped() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open""#)
            let path = "/meetings/\(meeting.id)"
            let tag = try await Self.tag(&host, path)
            let long = String(repeating: "x", count: 501)
            let refused = try await host.post(
                path + "/decisions", ["act": "save", "tag": tag, "text-0": "", "text-1": "kept", "text-2": long])
            #expect(refused.status == 422 && refused.text.contains(">kept</textarea>"))
            #expect(refused.text.contains("id=\"text-2-fault\"") && !refused.text.contains("id=\"text-1-fault\""))
            try await host.post(path + "/decisions", ["act": "save", "tag": tag, "text-0": "a"]).expect(303)
            let stale = try await host.post(path + "/decisions", ["act": "save", "tag": tag, "text-0": "b"])
            #expect(stale.status == 412 && stale.text.contains(">b</textarea>"))
        }
    }

    private static func tag(_ host: inout PageBrowser, _ path: String) async throws -> String {
        let page = try await host.get(path + "/decisions").expect(200).text
        return unescaped(try #require(page.firstMatch(of: /name="tag" value="([^"]*)"/)?.1))
    }

    private static func unescaped(_ text: Substring) -> String { String(text).replacing("&quot;", with: "\"") }
}
