import Foundation
import HTTPAPI
import Store
import StrictJSON
import Testing

@testable import TestSupport
@testable import WebPages

/// The report of a meeting as a PDF file, in the API and behind the button of its page.
@Suite(.timeLimit(.minutes(10))) struct ReportsOverHTTP {
    /// The text of a PDF file, without line breaks within its words.
    private func text(_ response: HTTPTestClient.Response) async throws -> String {
        try response.expect(200)
        #expect(response["Content-Type"] == "application/pdf")
        let folder = try TemporaryFolder()
        try Data(response.body).write(to: URL(fileURLWithPath: folder / "report.pdf"))
        let (status, output) = try await Command.outcome(
            of: ["pdftotext", "-layout", folder / "report.pdf", "-"], log: folder / "log")
        #expect(status == 0, "\(output)")
        return output
    }

    /// Runs `body` on a site whose `rsvg-convert` is a shell script.
    private func run(script: String?, _ body: (TestSite) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        if let script { chmod(try folder.write("#!/bin/sh\n\(script)\n", to: "rsvg-convert"), 0o755) }
        try await TestStore.run { fixture in
            let options = WebSiteOptions(publicURL: TestSite.origin)
            try await TestSite.serve(fixture, options, environment: ["PATH": folder.path], body)
        }
    }

    @Test func apiAndButtonReturnTheNumbersOfThePage() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open""#)
            for pace in [3, 4, 5] {
                try await meeting.submit("{\"pace\": \(pace), \"better\": \"Text \(pace) 더 많은 데모\"}").expect(201)
            }
            let file = try await meeting.host.get("\(meeting.path)/report.pdf?lang=de").expect(200)
            #expect(file["Content-Language"] == "de" && file["Cache-Control"] == "no-store")
            #expect(file["Content-Disposition"]?.contains("filename=\"report.pdf\"") == true)
            let german = try await text(file)
            for words in ["Seite 1 von 1", "Text 4 더 많은 데모", "4,00"] { #expect(german.contains(words), "\(german)") }
            let preferred = try await meeting.host.get(
                "\(meeting.path)/report.pdf", headers: ["Accept-Language": "ko-KR, en;q=0.5"])
            #expect(try await text(preferred).contains("평균 4.00"))
            #expect(try await text(meeting.host.get("\(meeting.path)/report.pdf")).contains("mean 4.00"))
            let button = try await host.get("/meetings/\(meeting.id)/report.pdf", language: "ko")
            #expect(try await text(button).contains("평균 4.00"))
        }
    }

    @Test func unknownLanguageIsRefused() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn())
            let refused = try await meeting.host.get("\(meeting.path)/report.pdf?lang=fr").expect(422)
            #expect(refused.json?["errors"]?.array?.first?["pointer"] == .string("?lang"))
        }
    }

    @Test func draftsAndFormsWithoutQuestionsOrAnswersHaveReports() async throws {
        try await TestSite.run { site in
            let api = site.client.bearing(try await site.signedIn().session)
            let empty = try TestMeeting(
                created: await api.post("/v1/meetings", json: #"{"title": "Empty"}"#), host: api, anyone: site.client)
            let draft = try await text(api.get("\(empty.path)/report.pdf"))
            #expect(draft.contains("Empty") && draft.contains("Page 1 of 1"), "\(draft)")
            let open = try await site.openForm(by: site.signedIn())
            #expect(try await text(open.host.get("\(open.path)/report.pdf")).contains("0 answers"))
        }
    }

    @Test func longTextsInManyScriptsAreComplete() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: #""identity": "open""#)
            let questions = #"[{"key": "better", "kind": "text", "title": "What?", "maxLength": 4000}]"#
            try await meeting.define("{\"identity\": \"open\", \"questions\": \(questions)}").expect(200)
            let sample = "Demos 🎉 데모 演示 العرض كان جيدا <&> "
            for number in 0..<200 {
                let body = number == 0 ? String(repeating: sample, count: 4_000 / sample.count) : "\(number) \(sample)"
                try await meeting.submit(JSONValue.object([.init("better", .string(body))]).text).expect(201)
            }
            let report = try await text(meeting.host.get("\(meeting.path)/report.pdf"))
            for number in [1, 100, 199] { #expect(report.contains("\(number) Demos"), "\(number)") }
        }
    }

    @Test func anonymousFormsWithholdSmallGroups() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: #""anonymous": true"#)
            try await meeting.submit(#"{"pace": 5, "better": "Secret"}"#).expect(201)
            try await meeting.perform("close").expect(200)
            let report = try await text(meeting.host.get("\(meeting.path)/report.pdf"))
            #expect(report.contains("groups of") && !report.contains("Secret") && !report.contains("5.00"), "\(report)")
        }
    }

    @Test func tokenForResultsAloneGetsNoDecisions() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn())
            let tag = try #require(try await meeting.host.get("\(meeting.path)/decisions").expect(200)["ETag"])
            try await meeting.host.put(
                "\(meeting.path)/decisions", json: #"{"items": [{"text": "Shorter talks"}]}"#,
                headers: ["If-Match": tag]
            ).expect(200)
            for (scopes, isShown) in [(["results:read"], false), (["results:read", "meetings:read"], true)] {
                let token = site.client.bearing(try await APITokens.make(meeting.host, scopes))
                let report = try await text(token.get("\(meeting.path)/report.pdf"))
                #expect(report.contains("Shorter talks") == isShown)
            }
            let other = site.client.bearing(try await APITokens.make(meeting.host, ["meetings:read"]))
            try await other.get("\(meeting.path)/report.pdf").expect(403)
        }
    }

    @Test func missingConverterIsAProblem() async throws {
        try await run(script: nil) { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let refused = try await meeting.host.get("\(meeting.path)/report.pdf").expect(503)
            #expect(refused.problem == "pdf-unavailable" && refused["Retry-After"] == "3600")
            let page = try await host.get("/meetings/\(meeting.id)/report.pdf").expect(503)
            #expect(page.text.contains("You can print the page instead.") && page.text.contains("<html"))
        }
    }

    @Test func failureOfTheConverterIsExplained() async throws {
        try await run(script: "echo 'no font' >&2; exit 3") { site in
            let meeting = try await site.openForm(by: site.signedIn())
            let refused = try await meeting.host.get("\(meeting.path)/report.pdf").expect(503)
            #expect(refused.problem == "pdf-unavailable" && refused.text.contains("rsvg-convert failed: no font."))
            #expect(refused["Retry-After"] == "60")
        }
    }

    @Test func strangersAndSignedOutBrowsersGetNothing() async throws {
        try await run(script: "exit 3") { site in
            let meeting = try await site.openForm(by: site.signedIn())
            try await site.client.get("\(meeting.path)/report.pdf").expect(401)
            let other = try await TestStore.account("other@example.org", "Otto Other", .host, in: site.fixture.store)
            let stranger = site.client.bearing(try await TestService.token(of: other, in: site.fixture.store))
            try await stranger.get("\(meeting.path)/report.pdf").expect(404)
            var browser = PageBrowser(site.client)
            let response = try await browser.get("/meetings/\(meeting.id)/report.pdf").expect(303)
            #expect(response["Location"]?.hasPrefix("/sign-in") == true)
        }
    }
}
