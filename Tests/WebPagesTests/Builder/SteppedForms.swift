import StrictJSON
import TestSupport
import Testing

/// Forms that show one question at a time.
@Suite(.timeLimit(.minutes(5))) struct SteppedForms {
    private static let questions = """
        [{"key": "a", "kind": "text", "title": "First"}, {"key": "b", "kind": "text", "title": "Second", "required": true},
         {"key": "c", "kind": "text", "title": "Third"}]
        """
    private static let stepped = #""identity": "open", "oneByOne": true"#

    @Test func settingIsOffUnlessTheHostSwitchesItOn() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            for (settings, expected) in [("", false), (#""oneByOne": null"#, false), (#""oneByOne": true"#, true)] {
                let meeting = try await site.openForm(
                    by: host,
                    settings: [#""identity": "open""#, settings]
                        .filter { !$0.isEmpty }.joined(separator: ", "))
                #expect(try await meeting.form().json?["oneByOne"] == .bool(expected))
                let form = try await site.client.get("/v1/forms/\(meeting.code)").expect(200)
                #expect(form.json?["oneByOne"] == .bool(expected))
                var browser = PageBrowser(site.client)
                let page = try await browser.get("/f/\(meeting.code)").expect(200)
                #expect(page.text.contains("steps.js") == expected && page.text.contains("<progress") == expected)
            }
        }
    }

    @Test(arguments: [#""yes""#, "1", "[]"]) func otherValuesAreRefused(value: String) async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: #""identity": "open""#)
            let refused = try await meeting.define("{\"oneByOne\": \(value), \"questions\": \(Self.questions)}")
            #expect(refused.status == 400 && refused.text.contains("/oneByOne"))
        }
    }

    @Test func pageBeginsWithTheFirstQuestion() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: Self.stepped)
            var browser = PageBrowser(site.client)
            let page = try await browser.get("/f/\(meeting.code)").expect(200)
            #expect(page.text.matches(of: /question current"/).count == 1)
            #expect(page.text.contains(#"class="one-by-one""#) && page.text.contains("Question 1 of"))
        }
    }

    @Test func pageWithFaultsBeginsWithTheFirstOfThem() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: Self.stepped)
            try await meeting.define("{\(Self.stepped), \"questions\": \(Self.questions)}").expect(200)
            var browser = PageBrowser(site.client)
            let form = try await browser.get("/f/\(meeting.code)").expect(200)
            let fields = ["key": form.field("key") ?? "", "version": form.field("version") ?? "", "t.a": "typed"]
            let page = try await browser.post("/f/\(meeting.code)", fields).expect(422)
            #expect(page.text.contains(#"class="card question wrong current" id="q-b""#), "\(page.text)")
            #expect(page.text.contains("one-by-one later\"") && page.text.contains("Question 2 of 3"))
            #expect(page.text.contains("typed"))
        }
    }

    @Test func singleQuestionNeedsNoSteps() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: Self.stepped)
            let question = #"[{"key": "a", "kind": "text", "title": "First"}]"#
            try await meeting.define("{\(Self.stepped), \"questions\": \(question)}").expect(200)
            var browser = PageBrowser(site.client)
            let page = try await browser.get("/f/\(meeting.code)").expect(200)
            #expect(!page.text.contains("steps.js") && page.text.contains(#"class="send""#))
        }
    }
}
