import Domain
import Foundation
import StrictJSON
import TestSupport
import Testing

/// Answers that are sent after the form was closed are shown, so that they can be copied.
@Suite(.timeLimit(.minutes(5))) struct LateAnswers {
    private static let heading = "Your answers, so you can copy them"
    private static let questions = """
        [{"key": "a", "kind": "text", "title": "First"}, {"key": "b", "kind": "text", "title": "Second"},
         {"key": "c", "kind": "text", "title": "Third"}]
        """

    /// The page shows the three answers once, and no form.
    private static func expectAnswers(on page: HTTPTestClient.Response) {
        #expect(page.count("<h2>\(heading)</h2>") == 1, "\(page.text)")
        for answer in ["one", "two", "three"] { #expect(page.count("<dd>\(answer)</dd>") == 1, "\(answer)") }
        #expect(page.field("key") == nil, "the page has a form, which would be refused")
    }

    @Test func lateAnswersAreShownOnce() async throws {
        try await TestService.withPages { service in
            let meeting = try await service.openMeeting(Self.questions, settings: #""identity": "device""#)
            let path = "/f/\(meeting.code)"
            var early = PageBrowser(service.anyone)
            var late = PageBrowser(service.anyone)
            let form = try await early.get(path).expect(200)
            try await early.post(
                path, ["version": "1", "key": form.field("key") ?? "", "t.a": "one", "t.b": "two", "t.c": "three"]
            ).expect(303)
            let opened = try await late.get(path).expect(200)
            try await meeting.perform("close").expect(200)
            let key = opened.field("key") ?? ""
            let refused = try await late.post(path, ["key": key, "t.a": "one", "t.b": "two", "t.c": "three"]).expect(
                409)
            Self.expectAnswers(on: refused)
            let lost = "What you sent just now was not saved."
            #expect(refused.count(lost) == 1)
            #expect(try await early.get(path + "/edit").expect(200).count(lost) == 0, "those answers are saved")
            Self.expectAnswers(on: try await early.get(path + "/edit").expect(200))
            Self.expectAnswers(
                on: try await early.post(path + "/edit", ["t.a": "one", "t.b": "two", "t.c": "three"]).expect(409))
        }
    }

    @Test func countdownOnTheStageClosesTenSecondsAfterItsEnd() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""graceMinutes": 7"#)
            let path = "/meetings/\(meeting.id)/stage"
            try await host.get(path).expect(200)
            let start = Date()
            try await host.post(path, ["minutes": "1"]).expect(303)
            let form = try await meeting.form()
            let closes = try #require(form.json?["closesAt"]?.string.flatMap(RFC3339.parse))
            #expect((69..<80).contains(closes.timeIntervalSince(start)), "times are whole seconds")
            #expect(form.json?["graceMinutes"]?.int == 0)
            let end = try #require(Self.attribute("data-closes", of: try await host.get(path).text))
            #expect(closes.timeIntervalSince(end) == 10)
            try await host.post(path, ["minutes": "0"]).expect(303)
            #expect(try await meeting.form().json?["closes"]?.string == nil, "the countdown is stopped")
        }
    }

    @Test func countdownOfAFormWithExtraMinutesEndsAtItsClosingTime() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let closes = RFC3339.format(Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded() + 300))
            let meeting = try await site.openForm(by: host, settings: #""closes": "\#(closes)", "graceMinutes": 1"#)
            let text = try await host.get("/meetings/\(meeting.id)/stage").expect(200).text
            #expect(Self.attribute("data-closes", of: text) == RFC3339.parse(closes))
            #expect(abs(try #require(Self.attribute("data-now", of: text)).timeIntervalSinceNow) < 60)
        }
    }

    /// The time in the first attribute with this name.
    private static func attribute(_ name: String, of html: String) -> Date? {
        html.range(of: name + "=\"").flatMap { RFC3339.parse(String(html[$0.upperBound...].prefix { $0 != "\"" })) }
    }
}
