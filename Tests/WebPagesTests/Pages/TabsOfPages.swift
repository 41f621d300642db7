import Store
import TestSupport
import Testing

@testable import WebPages

/// The tabs of a meeting and of a series, and the addresses to which buttons and former addresses lead.
@Suite(.timeLimit(.minutes(5))) struct TabsOfPages {
    /// The paths of the tabs of a page, and that of the current one.
    private static func tabs(_ page: HTTPTestClient.Response) -> (paths: [String], current: [String]) {
        let bar = page.text.split(separator: "class=\"tab-bar\"").dropFirst().first?.split(separator: "</nav>").first
        let links = (bar ?? "").matches(of: /<a href="([^"]*)"( aria-current="page")?/)
        return (links.map { String($0.1) }, links.filter { $0.2 != nil }.map { String($0.1) })
    }

    @Test func tabsLeadToPagesThatMarkThem() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            for path in ["/meetings/\(meeting.id)", "/series/\(meeting.seriesID)"] {
                let (paths, _) = Self.tabs(try await host.get(path).expect(200))
                #expect(paths.first == path && paths.count >= 4)
                for tab in paths {
                    let page = Self.tabs(try await host.get(tab).expect(200))
                    #expect(page.paths == paths && page.current == [tab], "\(tab)")
                }
            }
        }
    }

    @Test func viewersSeeOnlyTheTabsThatTheyMayOpen() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: try await site.signedIn())
            _ = try await TestStore.account("other@example.org", "Otto Other", .host, in: site.fixture.store)
            let viewer = #"{"email": "other@example.org", "role": "viewer"}"#
            try await meeting.host.post("\(meeting.seriesPath)/hosts", json: viewer).expect(201)
            var other = try await site.signedIn("other@example.org")
            let (path, series) = ("/meetings/\(meeting.id)", "/series/\(meeting.seriesID)")
            let tabs = Self.tabs(try await other.get(path).expect(200)).paths
            #expect(tabs == [path, path + "/shares", path + "/now", path + "/results"])
            let seriesTabs = Self.tabs(try await other.get(series).expect(200)).paths
            #expect(seriesTabs == [series, series + "/rounds"])
            for tab in tabs + seriesTabs { try await other.get(tab).expect(200) }
            #expect(try await other.get(series + "/settings").status == 403)
        }
    }

    @Test func buttonsLeadToTheTabOfTheNextStep() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let api = site.client.bearing(try host.session)
            let created = try await api.post(
                "/v1/meetings", json: #"{"title": "M", "questions": \#(TestStore.questions)}"#)
            let meeting = try TestMeeting(created: created, host: api, anyone: site.client)
            let path = "/meetings/\(meeting.id)"
            try await host.get(path).expect(200)
            let published = try await host.post(path, ["act": "publish"]).expect(303)
            #expect(published["Location"] == path + "/shares")
            #expect(try await host.get(path + "/shares").text.contains("class=\"join\""))
            let closed = try await host.post(path, ["act": "close", "back": "now"]).expect(303)
            #expect(closed["Location"] == path + "/now")
            #expect(try await host.post(path, ["act": "reopen", "back": "//x"]).expect(303)["Location"] == path)
        }
    }

    @Test func formerAddressesKeepWorking() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let path = "/series/\(meeting.seriesID)"
            #expect(try await host.get(path + "?rounds=all")["Location"] == path + "/rounds?rounds=all")
            #expect(try await host.get(path + "/next")["Location"] == path + "/rounds")
            let settings = try await host.get(path + "/settings").expect(200)
            let tag = (settings.field("tag") ?? "").replacing("&quot;", with: "\"")
            let renamed = try await host.post(path, ["act": "rename", "tag": tag, "title": "Renamed"]).expect(303)
            #expect(renamed["Location"] == path + "/settings")
            #expect(try await host.get(path).text.contains("<h1>Renamed</h1>"))
        }
    }

    @Test func pageOfComponentsIsPublic() async throws {
        try await TestSite.run { site in
            var visitor = PageBrowser(site.client)
            let page = try await visitor.get("/docs/components").expect(200)
            #expect(page.count("class=\"tab-bar\"") == 1 && page.count("<svg") >= 5)
        }
    }
}
