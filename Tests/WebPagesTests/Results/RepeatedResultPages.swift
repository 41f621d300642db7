import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// The results page of hosts is rendered once and sent again until something on it changes. No reader gets the page of
/// a reader with other rights or another language.
@Suite(.timeLimit(.minutes(5))) struct RepeatedResultPages {
    private static func path(_ meeting: TestMeeting) -> String { "/meetings/\(meeting.id)/results" }

    /// The page without its token, which is new in each response.
    private func text(_ page: HTTPTestClient.Response) throws -> String {
        page.text.replacing(try #require(page.field("csrf")), with: "")
    }

    /// Two rounds, the first with two ratings of 1, the second with two ratings of 3.
    private func rounds(on site: TestSite, by host: PageBrowser) async throws -> [TestMeeting] {
        let first = try await site.openForm(by: host, settings: #""identity": "open""#)
        let next = try await first.host.post("/v1/series/\(first.seriesID)/meetings", json: "{}")
        let second = try TestMeeting(created: next, host: first.host, anyone: site.client)
        try await second.perform("publish").expect(200)
        for (meeting, rating) in [(first, 1), (second, 3)] {
            for _ in 0..<2 { try await meeting.submit("{\"pace\": \(rating)}").expect(201) }
        }
        return [first, second]
    }

    @Test func repeatedPageHasTheSameTextAndAnotherToken() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let path = Self.path(try await rounds(on: site, by: host)[1])
            var pages: [HTTPTestClient.Response] = []
            for _ in 0..<3 { pages.append(try await host.get(path).expect(200)) }
            #expect(Set(pages.compactMap { $0.field("csrf") }).count == 3)
            #expect(Set(try pages.map(text)).count == 1)
            let compressed = try await host.get(path, headers: ["Accept-Encoding": "gzip"]).expect(200)
            #expect(compressed["Content-Encoding"] == "gzip")
            let unpacked = try #require(Gunzip.text(compressed.body))
            #expect(unpacked.utf8.count == pages[0].text.utf8.count && unpacked.contains("</html>"))
            // The token of a repeated page is valid.
            _ = try await host.get(path).expect(200)
            try await host.post(path, ["act": "release:better"]).expect(303)
            #expect(try await host.get(path).expect(200).text.contains("value=\"unrelease:better\""))
        }
    }

    /// The route of a picture relays the API's response.
    @Test func picturesOfAMeetingAreCompressed() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let path = "/meetings/\(try await rounds(on: site, by: host)[1].id)/pictures/pace.svg"
            let plain = try await host.get(path).expect(200)
            let compressed = try await host.get(path, headers: ["Accept-Encoding": "gzip"]).expect(200)
            #expect(plain["Content-Encoding"] == nil && compressed["Content-Encoding"] == "gzip")
            #expect(Gunzip.text(compressed.body) == plain.text && plain.text.contains("<svg"))
            let tag = try #require(compressed["ETag"])
            let same = try await host.get(path, headers: ["Accept-Encoding": "gzip", "If-None-Match": tag])
            #expect(same.status == 304 && same["ETag"] == tag && same.body.isEmpty)
        }
    }

    @Test func newAnswerIsShownAtOnce() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await rounds(on: site, by: host)[1]
            for count in 2...5 {
                for _ in 0..<2 {
                    let page = try await host.get(Self.path(meeting)).expect(200)
                    #expect(page.text.contains("<tr data-count=\"\(count)\">"), "\(count)")
                }
                try await meeting.submit(#"{"pace": 3, "better": "Text \#(count)"}"#).expect(201)
                #expect(try await host.get(Self.path(meeting)).expect(200).text.contains("Text \(count)"))
            }
        }
    }

    @Test func newAnswerInTheComparedRoundIsShownAtOnce() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meetings = try await rounds(on: site, by: host)
            for _ in 0..<2 {
                #expect(try await host.get(Self.path(meetings[1])).expect(200).text.contains("+2.00"))
            }
            for _ in 0..<2 { try await meetings[0].submit(#"{"pace": 5}"#).expect(201) }
            for _ in 0..<2 {
                let page = try await host.get(Self.path(meetings[1])).expect(200)
                #expect(page.text.contains("±0.00") && !page.text.contains("+2.00"))
            }
        }
    }

    @Test func deletedRoundIsNoLongerCompared() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meetings = try await rounds(on: site, by: host)
            let link = Self.path(meetings[0])
            for _ in 0..<2 { #expect(try await host.get(Self.path(meetings[1])).expect(200).text.contains(link)) }
            try await meetings[0].host.delete(meetings[0].path).expect(204)
            for _ in 0..<2 { #expect(try await !host.get(Self.path(meetings[1])).expect(200).text.contains(link)) }
        }
    }

    /// The markup of the form's state at the head of a meeting's pages.
    private static func state(_ name: String, _ text: String) -> String {
        "<span id=\"state\" class=\"state \(name)\">\(text)"
    }

    @Test func changesOfTheMeetingAndItsFormAreShownAtOnce() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await rounds(on: site, by: host)[1]
            for _ in 0..<2 {
                let page = try await host.get(Self.path(meeting)).expect(200)
                #expect(page.text.contains("How was the pace?") && page.text.contains(Self.state("open", "Open")))
            }
            let changed = TestStore.questions.replacing("How was the pace?", with: "Was it too fast?")
            try await meeting.define("{\"identity\": \"open\", \"questions\": \(changed)}").expect(200)
            #expect(try await host.get(Self.path(meeting)).expect(200).text.contains("Was it too fast?"))
            try await meeting.perform("close").expect(200)
            #expect(try await host.get(Self.path(meeting)).expect(200).text.contains(Self.state("closed", "Closed")))
        }
    }

    @Test func eachLanguageHasItsOwnPage() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let path = Self.path(try await rounds(on: site, by: host)[1])
            for language in ["en", "ko", "en", "ko"] {
                let page = try await host.get(path, language: language).expect(200)
                #expect(page.text.contains("<html lang=\"\(language)\">") && page["Content-Language"] == language)
                #expect(page.text.contains("Clearly higher than in ") == (language == "en"))
            }
        }
    }

    /// Only pages without texts are kept for further requests.
    @Test(arguments: [["owner", "viewer", "admin"], ["admin", "viewer", "owner"]], [true, false])
    func hostsWithOtherRightsGetTheirOwnPages(order: [String], hasText: Bool) async throws {
        try await TestSite.run { site in
            let owner = try await site.signedIn()
            let meeting = try await rounds(on: site, by: owner)[1]
            try await meeting.submit(hasText ? #"{"pace": 3, "better": "A text"}"# : #"{"pace": 3}"#).expect(201)
            _ = try await TestStore.account("other@example.org", "Otto Other", .host, in: site.fixture.store)
            try await meeting.host.post(
                "/v1/series/\(meeting.seriesID)/hosts", json: #"{"email": "other@example.org", "role": "viewer"}"#
            ).expect(201)
            let browsers = [
                "owner": owner, "viewer": try await site.signedIn("other@example.org"),
                "admin": try await site.signedIn("admin@example.org"),
            ]
            for name in order + order + order {
                var browser = try #require(browsers[name])
                let page = try await browser.get(Self.path(meeting)).expect(200)
                #expect(page.text.contains("A text") == hasText, "\(name)")
                // Viewers cannot hide or release texts, and only admins get the link to the administration.
                #expect(page.text.contains("value=\"release:better\"") == (name != "viewer"), "\(name)")
                #expect(page.text.contains("value=\"hide:better:") == (hasText && name != "viewer"), "\(name)")
                #expect(page.text.contains("href=\"/admin/accounts\"") == (name == "admin"), "\(name)")
            }
        }
    }

    @Test func hostWithoutAccessGetsNoPage() async throws {
        try await TestSite.run { site in
            var owner = try await site.signedIn()
            let meeting = try await rounds(on: site, by: owner)[1]
            let account = try await TestStore.account(
                "other@example.org", "Otto Other", .host, in: site.fixture.store
            ).account
            let hosts = "/v1/series/\(meeting.seriesID)/hosts"
            try await meeting.host.post(hosts, json: #"{"email": "other@example.org", "role": "editor"}"#).expect(201)
            var other = try await site.signedIn("other@example.org")
            for _ in 0..<2 {
                try await owner.get(Self.path(meeting)).expect(200)
                try await other.get(Self.path(meeting)).expect(200)
            }
            try await meeting.host.delete("\(hosts)/\(account.id.uuidString.lowercased())").expect(204)
            try await other.get(Self.path(meeting)).expect(404)
            try await owner.get(Self.path(meeting)).expect(200)
        }
    }

    /// Counts that an anonymous form withholds are not on any page, whatever was shown before.
    @Test func withheldCountsStayWithheld() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let settings = #""anonymous": true, "minimumGroup": 3"#
            let meeting = try await site.openForm(by: host, settings: settings)
            for count in 1...7 {
                try await meeting.submit(#"{"pace": 4}"#).expect(201)
                let shown = try await meeting.results().json?["withheld"]?["shown"]?.int ?? count
                for _ in 0..<2 {
                    let page = try await host.get(Self.path(meeting)).expect(200)
                    #expect(page.text.contains("<tr data-count=\"\(shown)\">") == (shown > 0), "\(count)")
                    for other in 1...7 where other != shown {
                        #expect(!page.text.contains("<tr data-count=\"\(other)\">"), "\(count), \(other)")
                    }
                }
            }
        }
    }
}
