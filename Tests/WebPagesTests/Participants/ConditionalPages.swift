import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// Forms whose questions depend on answers, in a browser without JavaScript.
@Suite(.timeLimit(.minutes(5))) struct ConditionalPages {
    private static let questions = """
        [{"key": "ate", "kind": "choice", "title": "Did you eat?", "required": true,
          "options": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]},
         {"key": "food", "kind": "rating", "title": "The food?", "required": true,
          "showIf": {"question": "ate", "is": "yes"}},
         {"key": "pace", "kind": "rating", "title": "The pace?"},
         {"key": "why", "kind": "text", "title": "Why?", "showIf": {"question": "food", "atMost": 2}}]
        """

    private static func open(_ site: TestSite) async throws -> (TestMeeting, PageBrowser, [String: String]) {
        let meeting = try await site.openForm(by: site.signedIn(), settings: #""identity": "open""#)
        try await meeting.define("{\"identity\": \"open\", \"questions\": \(questions)}").expect(200)
        var browser = PageBrowser(site.client)
        let form = try await browser.get("/f/\(meeting.code)").expect(200)
        #expect(shown(form) == ["ate"])
        return (meeting, browser, ["key": form.field("key") ?? "", "version": form.field("version") ?? ""])
    }

    /// The keys of the questions that are shown without JavaScript.
    private static func shown(_ page: HTTPTestClient.Response) -> [String] {
        page.text.matches(of: /id="q-([a-z]+)"[^>]*>/).filter { !$0.output.0.contains(" hidden") }
            .map { String($0.output.1) }
    }

    @Test func formIsAnsweredStepByStep() async throws {
        try await TestSite.run { site in
            var (meeting, browser, fields) = try await Self.open(site)
            let path = "/f/\(meeting.code)"
            (fields["a.ate"], fields["at"], fields["go"]) = ("yes", "0", "next")
            var page = try await browser.post(path, fields).expect(200)
            #expect(Self.shown(page) == ["food", "pace"] && page.field("at") == "1")
            fields["at"] = "1"
            page = try await browser.post(path, fields).expect(422)
            #expect(Self.shown(page) == ["food", "pace"] && page.text.contains("Please answer this."))
            (fields["a.food"], fields["a.pace"]) = ("1", "5")
            page = try await browser.post(path, fields).expect(200)
            #expect(Self.shown(page) == ["why"] && page.field("at") == "2")
            #expect(page.text.contains(#"name="a.pace" value="5" checked"#), "the page keeps earlier answers")
            (fields["at"], fields["t.why"], fields["go"]) = ("2", "cold", "back")
            page = try await browser.post(path, fields).expect(200)
            #expect(Self.shown(page) == ["food", "pace"] && page.text.contains("cold"), "going back keeps them too")
            fields["go"] = nil
            try await browser.post(path, fields).expect(303)
            let results = try await meeting.results().json?["questions"]?.array
            #expect(results?.prefix(4).map { $0["answered"]?.int } == [1, 1, 1, 1])
        }
    }

    @Test func answersToQuestionsThatAreNoLongerAskedAreNotSent() async throws {
        try await TestSite.run { site in
            var (meeting, browser, fields) = try await Self.open(site)
            fields.merge(["a.ate": "no", "a.food": "1", "t.why": "cold", "at": "0", "go": "next"]) { $1 }
            let page = try await browser.post("/f/\(meeting.code)", fields).expect(200)
            #expect(Self.shown(page) == ["pace"], "without the questions about the food")
            (fields["at"], fields["a.pace"]) = ("1", "3")
            let end = try await browser.post("/f/\(meeting.code)", fields).expect(200)
            #expect(Self.shown(end) == [] && end.text.contains("These were all questions for you."))
            fields["go"] = nil
            try await browser.post("/f/\(meeting.code)", fields).expect(303)
            let results = try await meeting.results().json?["questions"]?.array
            #expect(results?.prefix(4).map { $0["asked"]?.int } == [1, 0, 1, 0])
        }
    }

    @Test func conditionMayChangeBetweenTwoSteps() async throws {
        try await TestSite.run { site in
            var (meeting, browser, fields) = try await Self.open(site)
            let changed = Self.questions.replacing(#""is": "yes""#, with: #""is": "no""#)
            try await meeting.define("{\"identity\": \"open\", \"questions\": \(changed)}").expect(200)
            // This page was made for the version before, in which `food` is required after `yes`.
            fields["a.ate"] = "yes"
            let page = try await browser.post("/f/\(meeting.code)", fields).expect(422)
            #expect(Self.shown(page) == ["ate"] && page.text.contains("The form has changed in the meantime."))
            #expect(page.field("version") != fields["version"])
            (fields["version"], fields["a.pace"]) = (page.field("version"), "2")
            try await browser.post("/f/\(meeting.code)", fields).expect(303)
        }
    }

    @Test(arguments: ["-1", "99", "x", ""]) func stepsOutsideTheFormAreLimited(_ at: String) async throws {
        try await TestSite.run { site in
            var (meeting, browser, fields) = try await Self.open(site)
            for direction in ["next", "back", "sideways"] {
                fields.merge(["a.ate": "no", "at": at, "go": direction]) { $1 }
                try await browser.post("/f/\(meeting.code)", fields).expect(200)
            }
        }
    }

    @Test func correctionBeginsWithTheFirstQuestion() async throws {
        try await TestSite.run { site in
            var (meeting, browser, fields) = try await Self.open(site)
            fields.merge(["a.ate": "yes", "a.food": "4"]) { $1 }
            try await browser.post("/f/\(meeting.code)", fields).expect(303)
            let form = try await browser.get("/f/\(meeting.code)/edit").expect(200)
            #expect(Self.shown(form) == ["ate"])
            fields["version"] = form.field("version")
            fields.merge(["a.ate": "no", "at": "0", "go": "next"]) { $1 }
            let next = try await browser.post("/f/\(meeting.code)/edit", fields).expect(200)
            #expect(Self.shown(next) == ["pace"])
            fields["go"] = nil
            try await browser.post("/f/\(meeting.code)/edit", fields).expect(303)
            let results = try await meeting.results().json?["questions"]?.array
            #expect(results?.prefix(4).map { $0["asked"]?.int } == [1, 0, 1, 0])
        }
    }
}
