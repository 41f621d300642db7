import HTTPAPI
import HTTPServer
import Store
import TestSupport
import Testing

@testable import WebPages

/// The remote with which a host changes the slide on all open stages of a meeting.
@Suite(.timeLimit(.minutes(5))) struct StageRemote {
    private static let planted = String(repeating: "A", count: 86)

    /// A stage that is open in a browser.
    private static func stage(
        of meeting: TestMeeting, in browser: PageBrowser, at client: HTTPTestClient
    ) -> LiveTestViewer {
        let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let headers = ["Cookie": cookies, "Accept": "text/event-stream"]
        return LiveTestViewer(client, "/meetings/\(meeting.id)/live", headers: headers)
    }

    private static func views(_ stage: LiveTestViewer) -> [String] {
        stage.events.filter { $0.name == "stage" }.map(\.data)
    }

    private static func view(
        _ slide: String, blank: Bool = false, comparing: Bool = false, words: Bool = false
    ) -> String {
        #"{"slide":"\#(slide)","blank":\#(blank),"comparing":\#(comparing),"words":\#(words)}"#
    }

    /// Shows the first question until all stages get it. Their instances may not be listening to the database yet.
    private static func begin(_ stages: [LiveTestViewer], by remote: PageBrowser, at path: String) async throws {
        var remote = remote
        try await eventually("the first view") {
            try await remote.post(path, ["act": "show:q-pace"]).expect(303)
            return try await stages[0].wait(.seconds(1)) { _ in
                stages.allSatisfy { views($0).last == view("q-pace") }
            }
        }
    }

    @Test func remoteChangesTheSlideOnTheStagesOfAllInstances() async throws {
        try await TestStore.run { fixture in
            let options = WebSiteOptions(publicURL: TestSite.origin)
            try await TestSite.serve(fixture, options) { site in
                let host = try await site.signedIn()
                let meeting = try await site.openForm(by: host)
                let store = try await fixture.secondStore()
                let api = try AfterwordAPI.api(store: store, metrics: PrometheusRegistry())
                let pages = WebSite(api, store: store, resources: try await TestSite.resources.value, options: options)
                try await LiveServer.run(api, behind: pages) { client, _ in
                    let stages = [site.client, client].map { Self.stage(of: meeting, in: host, at: $0) }
                    let path = "/meetings/\(meeting.id)/remote"
                    var remotes = [site.client, client].map { client in
                        var browser = PageBrowser(client)
                        browser.cookies = host.cookies
                        return browser
                    }
                    for index in remotes.indices { try await remotes[index].get(path).expect(200) }
                    try await Self.begin(stages, by: remotes[0], at: path)
                    // Each button continues from the view in the address.
                    var address = path + "?slide=q-pace"
                    for (index, step) in [
                        ("next", Self.view("q-topics")), ("blank", Self.view("q-topics", blank: true)),
                        ("next", Self.view("q-better")), ("words", Self.view("q-better", words: true)),
                        ("next", Self.view("q-better", words: true)),
                        ("comparing", Self.view("q-better", comparing: true, words: true)),
                        ("show:code", Self.view("code", comparing: true, words: true)),
                        ("previous", Self.view("code", comparing: true, words: true)),
                    ].enumerated() {
                        let (action, expected) = step
                        let sent = try await remotes[index % 2].post(address, ["act": action]).expect(303)
                        address = try #require(sent["Location"])
                        for stage in stages {
                            #expect(try await stage.wait { Self.views($0).last == expected }, "\(action)")
                        }
                    }
                    #expect(address == path + "?slide=code&comparing=1&words=1")
                    for stage in stages { await stage.leave() }
                }
                await store.close()
            }
        }
    }

    @Test func remoteShowsItsSlideAndTheNumberOfAnswers() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open""#)
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            try await meeting.submit(#"{"topics": ["demo"]}"#).expect(201)
            let path = "/meetings/\(meeting.id)/remote"
            let first = try await host.get(path).expect(200)
            #expect(first.text.contains("1 / 4") && first.text.contains("<p class=\"lead\">2 answers</p>"))
            #expect(first.text.contains("value=\"previous\" disabled"))
            #expect(!first.text.contains("value=\"next\" disabled"))
            let question = try await host.get(path + "?slide=q-pace&blank=1").expect(200)
            #expect(question.text.contains("2 / 4") && question.text.contains("<h2>How was the pace?</h2>"))
            #expect(question.text.contains("<p class=\"lead\">1 answer</p>"))
            #expect(question.text.contains("value=\"blank\" aria-pressed=\"true\""))
            // A slide that the stage does not have is the first one.
            #expect(try await host.get(path + "?slide=q-none").text.contains("1 / 4"))
            try await host.post(path + "?slide=q-pace", ["minutes": "3"]).expect(400)
            let closing = try await host.post(path + "?slide=q-pace", ["minutes": "2"]).expect(303)
            #expect(closing["Location"] == path + "?slide=q-pace")
            #expect(try await host.get(path).text.contains("data-closes="))
            let closed = try await host.post("/meetings/\(meeting.id)", ["act": "close", "back": "remote"]).expect(303)
            #expect(closed["Location"] == path)
            #expect(try await host.get(path).text.contains("5 / 5"))
        }
    }

    @Test func remoteNeedsAnEditorAndAValidToken() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let (path, stagePath) = ("/meetings/\(meeting.id)/remote", "/meetings/\(meeting.id)/stage")
            let stage = Self.stage(of: meeting, in: host, at: site.client)
            #expect(try await host.get(stagePath).expect(200).text.contains("data-remote=\"\(path)\""))
            #expect(try await host.get(path + ".svg").expect(200).text.hasPrefix("<svg"))
            try await Self.begin([stage], by: host, at: path)
            let before = Self.views(stage)

            let forged = try await host.post(path, ["csrf": Self.planted, "act": "next"])
            #expect(forged.status == 403 && forged.text.contains("role=\"alert\""))
            for headers in [["Origin": "https://evil.example.org"], ["Sec-Fetch-Site": "same-site"]] {
                var attacked = host
                try await attacked.get(path).expect(200)
                #expect(try await attacked.post(path, ["act": "next"], headers: headers).status == 403, "\(headers)")
            }
            for action in ["", "jump", "show:q-none", "show:"] {
                #expect(try await host.post(path, ["act": action]).status == 400, "\(action)")
            }
            let others: [(email: String, role: String?)] = [
                ("viewer@example.org", "viewer"), ("other@example.org", nil),
            ]
            for (email, role) in others {
                _ = try await TestStore.account(email, "Otto Other", .host, in: site.fixture.store)
                if let role {
                    let body = #"{"email": "\#(email)", "role": "\#(role)"}"#
                    try await meeting.host.post("\(meeting.seriesPath)/hosts", json: body).expect(201)
                }
                var other = try await site.signedIn(email)
                try await other.get("/home").expect(200)
                let status = role == nil ? 404 : 403
                #expect(try await other.get(path).status == status, "\(email)")
                #expect(try await other.get(path + ".svg").status == status, "\(email)")
                #expect(try await other.post(path, ["act": "next"]).status == status, "\(email)")
                let page = try await other.get(stagePath)
                #expect(page.status == (role == nil ? 404 : 200) && !page.text.contains(path), "\(email)")
            }
            // Views arrive in order, so a refused one would be before this one.
            try await host.get(path).expect(200)
            try await host.post(path + "?slide=q-pace", ["act": "next"]).expect(303)
            #expect(try await stage.wait { Self.views($0).last == Self.view("q-topics") })
            #expect(Self.views(stage).filter { $0 != Self.view("q-pace") } == [Self.view("q-topics")])
            #expect(before.allSatisfy { $0 == Self.view("q-pace") })
            await stage.leave()
        }
    }
}
