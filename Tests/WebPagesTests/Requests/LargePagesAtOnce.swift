import Contract
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOEmbedded
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// Pages of large forms take long to make. Few are made at once, and those that many people open are made once.
@Suite(.timeLimit(.minutes(5))) struct LargePagesAtOnce {
    private static let questions = makeQuestions(60)

    private static func makeQuestions(_ count: Int) -> String {
        let options = (0..<10).map { "{\"id\": \"o\($0)\", \"label\": \"A long label of option \($0)\"}" }
        let questions = (0..<count).map { number in
            """
            {"key": "q\(number)", "kind": "choice", "title": "Question \(number)", \
            "options": [\(options.joined(separator: ", "))]}
            """
        }
        return "[\(questions.joined(separator: ", "))]"
    }

    /// Runs `body` on a service that makes one large page at once.
    private static func run(
        timeout: Duration, _ body: (_ site: TestSite, _ meeting: TestMeeting, _ host: PageBrowser) async throws -> Void
    ) async throws {
        try await TestStore.run { fixture in
            let largePages = LargePages(atOnce: 1, timeout: timeout)
            try await TestSite.serve(
                fixture, WebSiteOptions(publicURL: TestSite.origin), largePages: largePages
            ) { site in
                let host = try await site.signedIn()
                let meeting = try await site.openForm(by: host)
                let settings = #""identity": "open", "showResults": "always""#
                try await meeting.define("{\(settings), \"questions\": \(questions)}").expect(200)
                try await meeting.submit(#"{"q0": "o1"}"#).expect(201)
                try await body(site, meeting, host)
            }
        }
    }

    /// Runs `body` while a large page is being made.
    private static func making(_ site: TestSite, _ body: () async throws -> Void) async throws {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/")
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test"))
        let page = PageRequest(
            Request(head: head, body: RequestBody(buffer: .init())), ConnectionContext(source: source), parameters: [:],
            site.pages.kit)
        try await site.pages.kit.largePages.make(isLarge: true, for: page) { try await body() }
    }

    @Test func pagesThatManyPeopleOpenAreMadeOnce() async throws {
        try await Self.run(timeout: .milliseconds(50)) { site, meeting, _ in
            let form = "/f/\(meeting.code)"
            let share = "/r/\(try await meeting.share().string("token"))"
            let paths = [form, form + "/results", share]
            for path in paths { try await site.client.get(path, headers: ["Accept": "text/html"]).expect(200) }
            try await Self.making(site) {
                for path in paths {
                    for query in ["", "?q1=o1", "?a=2", "?lang=en"] {
                        let page = try await site.client.get(path + query, headers: ["Accept": "text/html"])
                        #expect(page.status == 200 && page.text.contains("Question 59"), "\(path)\(query)")
                        #expect(page.text.contains("\"\(path)?lang=ko\""), "the link has no other query")
                    }
                }
                var invited = PageBrowser(site.client)
                try await invited.get("\(form)?t=a-personal-link").expect(303)
                let page = try await invited.get(form).expect(200)
                #expect(page.text.contains("data-draft=\"\(form)-"))
            }
        }
    }

    @Test func changedPagesAreMadeAgain() async throws {
        try await Self.run(timeout: .seconds(60)) { site, meeting, _ in
            let path = "/f/\(meeting.code)/results"
            for count in 1...3 {
                for _ in 0..<2 {
                    let page = try await site.client.get(path).expect(200)
                    #expect(page.text.contains("<tr data-count=\"\(count)\">"), "\(count)")
                }
                try await meeting.submit(#"{"q0": "o1"}"#).expect(201)
            }
            let share = "/r/\(try await meeting.share().string("token"))"
            for _ in 0..<2 {
                #expect(try await site.client.get(share).expect(200).text.contains("<tr data-count=\"4\">"))
            }
            try await meeting.submit(#"{"q0": "o1"}"#).expect(201)
            #expect(try await site.client.get(share).expect(200).text.contains("<tr data-count=\"5\">"))
            let changed = Self.questions.replacing("Question 0", with: "Another question")
            try await meeting.define(
                #"{"identity": "open", "showResults": "always", "questions": \#(changed)}"#
            ).expect(200)
            for path in [path, share, "/f/\(meeting.code)"] {
                #expect(try await site.client.get(path).expect(200).text.contains("Another question"), "\(path)")
            }
            try await meeting.perform("close").expect(200)
            #expect(try await site.client.get("/f/\(meeting.code)").expect(200).field("version") == nil)
        }
    }

    @Test func furtherLargePagesAreRefusedAndEverythingElseIsAnswered() async throws {
        try await Self.run(timeout: .milliseconds(50)) { site, meeting, signedIn in
            var (visitor, host) = (PageBrowser(site.client), signedIn)
            let form = "/f/\(meeting.code)"
            let hostPaths = ["results", "report", "form", "form/preview"].map { "/meetings/\(meeting.id)/\($0)" }
            try await Self.making(site) {
                for path in [form, form + "/results"] {
                    let refused = try await visitor.get(path)
                    #expect(refused.status == 503 && refused["Retry-After"] == "2", "\(path)")
                }
                for path in hostPaths {
                    let refused = try await host.get(path)
                    #expect(refused.status == 503, "\(path)")
                }
                try await visitor.get("/").expect(200)
                try await host.get("/meetings/\(meeting.id)").expect(200)
                try await meeting.submit(#"{"q0": "o2"}"#).expect(201)
            }
            for path in hostPaths { try await host.get(path).expect(200) }
            try await visitor.get(form).expect(200)
            // A form that is shown again with the typed answers is made for its sender only.
            try await Self.making(site) {
                let refused = try await visitor.post(form, ["csrf": "forged"])
                #expect(refused.status == 503)
            }
            try await visitor.post(form, ["csrf": "forged"]).expect(403)
        }
    }

    /// Anybody can have a page shown again by sending a form without a token. So forms of ten kilobytes count as large.
    @Test func refusedFormOfTenKilobytesIsALargePage() async throws {
        try await Self.run(timeout: .milliseconds(50)) { site, meeting, _ in
            let questions = Self.makeQuestions(20)
            #expect((8_192..<16_384).contains(questions.utf8.count))
            try await meeting.define("{\"identity\": \"open\", \"questions\": \(questions)}").expect(200)
            var visitor = PageBrowser(site.client)
            let form = "/f/\(meeting.code)"
            try await visitor.get(form).expect(200)
            try await Self.making(site) {
                let refused = try await visitor.post(form, ["csrf": "forged"])
                #expect(refused.status == 503)
            }
            try await visitor.post(form, ["csrf": "forged"]).expect(403)
        }
    }

    @Test func listsOfLongNamesAreLargePages() async throws {
        try await Self.run(timeout: .milliseconds(50)) { site, meeting, signedIn in
            var host = signedIn
            let paths = ["/meetings/\(meeting.id)/people", "/series/\(meeting.seriesID)/people"]
            let people = (0..<45).map { number in
                "{\"name\": \"\(String(repeating: "x", count: 200))\", \"email\": \"\(number)@example.org\"}"
            }
            for person in people { try await meeting.host.post("\(meeting.path)/attendees", json: person).expect(201) }
            let invited = try await site.openForm(by: host, settings: #""identity": "attendee""#)
            for person in people { try await invited.host.post("\(invited.path)/attendees", json: person).expect(201) }
            let links = "/meetings/\(invited.id)/people"
            for path in paths + [links] { try await host.get(path).expect(200) }
            let members = "{\"members\": [\(people.joined(separator: ", "))]}"
            try await meeting.host.post("/v1/series/\(meeting.seriesID)/members", json: members).expect(201)
            try await Self.making(site) {
                for path in paths {
                    let refused = try await host.get(path)
                    #expect(refused.status == 503, "\(path)")
                }
                for act in ["links", "links-csv"] {
                    let refused = try await host.post(links, ["act": act])
                    #expect(refused.status == 503, "\(act)")
                }
            }
            for path in paths { try await host.get(path).expect(200) }
            for act in ["links", "links-csv"] { try await host.post(links, ["act": act]).expect(200) }
        }
    }

    @Test func formsWithMuchTextAreLargePages() async throws {
        try await Self.run(timeout: .milliseconds(50)) { site, meeting, signedIn in
            var host = signedIn
            let path = "/meetings/\(meeting.id)/form"
            try await host.get(path).expect(200)
            let fields = ["title": String(repeating: "x", count: 100_000), "act": "add:text"]
            try await Self.making(site) {
                for target in [path, path + "/preview"] {
                    let refused = try await host.post(target, fields)
                    #expect(refused.status == 503, "\(target)")
                }
            }
            for target in [path, path + "/preview"] { try await host.post(target, fields).expect(200) }
        }
    }

    /// Results contain the questions and options of all versions.
    @Test func resultsOfALargeEarlierVersionAreLarge() async throws {
        try await Self.run(timeout: .milliseconds(50)) { site, meeting, signedIn in
            var host = signedIn
            let question = #"{"key": "pace", "kind": "rating", "title": "How was the pace?"}"#
            try await meeting.define(
                #"{"identity": "open", "showResults": "always", "questions": [\#(question)]}"#
            ).expect(200)
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let path = "/meetings/\(meeting.id)"
            let paths = ["results", "results?where=pace:4", "report", "stage"].map { "\(path)/\($0)" }
            try await Self.making(site) {
                for path in paths {
                    let refused = try await host.get(path)
                    #expect(refused.status == 503 && refused["Retry-After"] == "2", "\(path)")
                }
                try await host.get("\(path)/form").expect(200)
            }
            for path in paths {
                let page = try await host.get(path)
                #expect(page.status == 200, "\(path)")
            }
        }
    }

    /// Participants decide how long texts are.
    @Test func resultsPageShowsOnlyTheFirstOfManyLongTexts() async throws {
        try await Self.run(timeout: .milliseconds(50)) { site, meeting, _ in
            let questions = ["one", "two", "three"].map {
                "{\"key\": \"\($0)\", \"kind\": \"text\", \"title\": \"Text \($0)\", \"maxLength\": 10000}"
            }
            let settings = #""identity": "open", "showResults": "always""#
            try await meeting.define("{\(settings), \"questions\": [\(questions.joined(separator: ", "))]}").expect(200)
            let text = String(repeating: "🎉", count: 10_000)
            try await meeting.submit("{\"one\": \"\(text)\", \"two\": \"\(text)\", \"three\": \"\(text)\"}").expect(201)
            // One submission is sent. The others are copies of it.
            try await site.fixture.store.pool.execute(
                """
                INSERT INTO submission (form_id, id, version, answers, submitted_on, submitted_at)
                SELECT form_id, u.id, version, answers, submitted_on, submitted_at
                FROM submission s, unnest(\((1...199).map { _ in UUID() })) AS u (id) WHERE answers ? 'one'
                """)
            _ = try await site.fixture.store.verification.run(meeting: nil, repair: true) { _, _ in }
            for key in ["one", "two", "three"] { try await meeting.moderate("release", key) }
            let share = "/r/\(try await meeting.share().string("token"))"
            for path in ["/f/\(meeting.code)/results", share] {
                let page = try await site.client.get(path).expect(200)
                #expect((1 << 20...3 << 20).contains(page.body.count), "\(path): \(page.body.count) bytes")
                #expect(page.count("<blockquote>") > 10 && page.text.contains("Text three"))
                #expect(page.count("There are more answers than this page shows.") == 3)
            }
            // These pages are large, although the results have few bytes.
            try await Self.making(site) {
                let refused = try await site.client.get(share)
                #expect(refused.status == 503)
            }
        }
    }

    @Test func furtherLargeFormsOfParticipantsAreRefused() async throws {
        try await Self.run(timeout: .milliseconds(50)) { site, meeting, _ in
            var visitor = PageBrowser(site.client)
            let path = "/f/\(meeting.code)"
            try await visitor.get(path).expect(200)
            let browser = visitor
            try await Self.making(site) {
                var visitor = browser
                let large = try await visitor.post(path, ["other": String(repeating: "x", count: 70_000)])
                #expect(large.status == 503 && large["Retry-After"] == "2")
                try await visitor.post(path, ["a.q1": "o1"]).expect(303)
            }
        }
    }

    /// Clients that request many large pages and then disconnect occupy no thread that a submission needs.
    @Test func closedRequestsDelayNoSubmission() async throws {
        try await Self.run(timeout: .seconds(60)) { site, meeting, _ in
            let port = site.client.port
            let body = "csrf=forged"
            let request = """
                POST /f/\(meeting.code) HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n\
                Content-Length: \(body.utf8.count)\r\n\r\n\(body)
                """
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await RawConnection.open(port: port) { try await $0.send(request) } }
                }
                try await group.waitForAll()
            }
            func answered() -> Int {
                let counts = site.metrics.exposition().split(separator: "\n").filter {
                    $0.hasPrefix("http_requests_total") && $0.contains("route=\"/f/{code}\"")
                        && $0.contains("method=\"POST\"")
                }
                return counts.reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
            }
            try await eventually("the first page is made") { answered() > 0 }
            try await meeting.submit(#"{"q0": "o2"}"#).expect(201)
            #expect(answered() < 100, "the submission did not wait for the pages")
        }
    }
}
