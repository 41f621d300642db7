import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// The page of an open form is rendered once for all visitors, until the form changes.
@Suite(.timeLimit(.minutes(5))) struct SharedFormPages {
    private func open(
        _ meeting: TestMeeting, on site: TestSite, language: String = "en", headers: [String: String] = [:]
    ) async throws -> HTTPTestClient.Response {
        var browser = PageBrowser(site.client)
        return try await browser.get("/f/\(meeting.code)", language: language, headers: headers).expect(200)
    }

    @Test func everyVisitorGetsTheirOwnKeyAndToken() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: #""identity": "open""#)
            var pages: [HTTPTestClient.Response] = []
            for _ in 0..<3 { pages.append(try await open(meeting, on: site)) }
            for name in ["key", "csrf"] {
                let values = pages.compactMap { $0.field(name) }
                #expect(Set(values).count == 3, "\(name): \(values)")
            }
            // Apart from these values, the pages are equal.
            let texts = try pages.map { page in
                let (key, token) = (try #require(page.field("key")), try #require(page.field("csrf")))
                return page.text.replacing(key, with: "").replacing(token, with: "")
            }
            #expect(Set(texts).count == 1)
            // Two visitors who send the shared page store two submissions.
            for _ in 0..<2 {
                var visitor = PageBrowser(site.client)
                let page = try await visitor.get("/f/\(meeting.code)").expect(200)
                let fields = ["key": try #require(page.field("key")), "version": "1", "a.pace": "4"]
                try await visitor.post("/f/\(meeting.code)", fields).expect(303)
            }
            #expect(try await meeting.results().json?["submissions"]?.int == 2)
        }
    }

    @Test func spellingsOfAJoinCodeHaveOnePath() async throws {
        try await TestSite.run { site in
            _ = try await site.openForm(by: site.signedIn(), settings: #""identity": "open""#)
            try await site.fixture.store.pool.execute("UPDATE form SET join_code = 'a01b0c1d'")
            for spelling in ["a01b0c1d", "A0LB-OC1D", "aoib%200cld"] {
                var visitor = PageBrowser(site.client)
                let page = try await visitor.get("/f/\(spelling)/sent").expect(303)
                #expect(page["Location"] == "/f/a01b0c1d", "\(spelling)")
            }
        }
    }

    @Test func compressedPageIsComplete() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: #""identity": "open""#)
            let plain = try await open(meeting, on: site)
            let compressed = try await open(meeting, on: site, headers: ["Accept-Encoding": "gzip"])
            #expect(compressed["Content-Encoding"] == "gzip")
            let text = try #require(Gunzip.text(compressed.body))
            #expect(text.utf8.count == plain.text.utf8.count)
            #expect(text.contains("</html>"))
        }
    }

    @Test func changedFormIsRenderedAgain() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open""#)
            #expect(try await open(meeting, on: site).text.contains("How was the pace?"))
            let changed = TestStore.questions.replacing("How was the pace?", with: "Was it too fast?")
            try await meeting.define(#"{"identity": "open", "questions": \#(changed)}"#).expect(200)
            let page = try await open(meeting, on: site)
            #expect(page.text.contains("Was it too fast?"))
            #expect(!page.text.contains("How was the pace?"))
            #expect(page.field("version") == "2")
            try await meeting.perform("close").expect(200)
            #expect(try await open(meeting, on: site).field("version") == nil)
        }
    }

    @Test func eachFormAndLanguageHasItsOwnPage() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open""#)
            let other = try await site.openForm(by: host, settings: #""identity": "open""#)
            for (language, expected) in [("en", "en"), ("ko", "ko"), ("de-AT", "de"), ("en", "en"), ("de", "de")] {
                for form in [meeting, other] {
                    let page = try await open(form, on: site, language: language)
                    #expect(page.text.contains("<html lang=\"\(expected)\">"))
                    #expect(page.text.contains("action=\"/f/\(form.code)\""))
                    #expect(page["Content-Language"] == expected)
                }
            }
        }
    }

    @Test func browserCachesThePageOfAOnceOnlyForm() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn())
            var browser = PageBrowser(site.client)
            try await browser.get("/f/\(meeting.code)").expect(200)
            let page = try await browser.get("/f/\(meeting.code)").expect(200)
            let tag = try #require(page["ETag"])
            try await browser.get("/f/\(meeting.code)", headers: ["If-None-Match": tag]).expect(304)
            // Another browser has another token, and so another page.
            #expect(try await open(meeting, on: site)["ETag"] != tag)
            #expect(browser.cookies.keys.contains { $0.hasSuffix("device") })
        }
    }

    @Test func pagesOfPersonalLinksDifferOnlyInTheirKeys() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: #""identity": "attendee""#)
            let path = "/f/\(meeting.code)"
            var (drafts, texts): (Set<String>, Set<String>) = ([], [])
            for name in ["one", "two", "three"] {
                var invited = PageBrowser(site.client)
                try await invited.get("\(path)?t=link-of-\(name)").expect(303)
                let page = try await invited.get(path, headers: ["Accept-Encoding": "gzip"]).expect(200)
                let text = try #require(Gunzip.text(page.body))
                let draft = try #require(text.firstMatch(of: /data-draft="([^"]*)"/)?.output.1)
                #expect(draft.hasPrefix("\(path)-") && page["ETag"] == nil)
                drafts.insert(String(draft))
                let keys = ["key", "csrf"].compactMap { name in
                    text.firstMatch(of: try! Regex("name=\"\(name)\" value=\"([^\"]*)\""))?.output[1].substring
                }
                texts.insert((keys + [draft]).reduce(text) { $0.replacing($1, with: "") })
            }
            #expect(drafts.count == 3 && texts.count == 1)
            let stranger = try await open(meeting, on: site)
            #expect(stranger.field("version") == nil, "the form needs a personal link")
        }
    }

    @Test func draftOfAPersonalLinkIsNotShared() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn())
            let path = "/f/\(meeting.code)"
            var invited = PageBrowser(site.client)
            try await invited.get("\(path)?t=an-old-personal-link").expect(303)
            let first = try await invited.get(path).expect(200)
            #expect(first.text.contains("data-draft=\"\(path)-"))
            let second = try await open(meeting, on: site)
            #expect(second.text.contains("data-draft=\"\(path)\""))
            #expect(try await invited.get(path).expect(200).text.contains("data-draft=\"\(path)-"))
        }
    }

    @Test func browserCachesThePageInAnotherLanguageToo() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn())
            var browser = PageBrowser(site.client)
            try await browser.get("/f/\(meeting.code)?lang=ko").expect(200)
            let page = try await browser.get("/f/\(meeting.code)?lang=ko").expect(200)
            #expect(page.text.contains("<html lang=\"ko\">"))
            let tag = try #require(page["ETag"])
            try await browser.get("/f/\(meeting.code)?lang=ko", headers: ["If-None-Match": tag]).expect(304)
        }
    }
}
