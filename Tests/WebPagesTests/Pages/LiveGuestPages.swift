import Foundation
import HTTPAPI
import HTTPServer
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// Pages of results for people without an account, and the event streams that keep them up to date.
@Suite(.timeLimit(.minutes(10))) struct LiveGuestPages {
    private static let always = #""showResults": "always""#
    private static let headers = ["Accept": "text/event-stream"]

    private static func watch(
        _ path: String, _ client: HTTPTestClient, cookies: [String: String] = [:]
    ) -> LiveTestViewer {
        var headers = Self.headers
        if !cookies.isEmpty { headers["Cookie"] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        return LiveTestViewer(client, path, headers: headers)
    }

    /// Waits until the stream has ended, and expects the problem in its last event.
    private static func expectEnd(_ problem: String, of viewer: LiveTestViewer) async throws {
        #expect(try await viewer.wait { $0.isOver }, "\(problem)")
        let end = try #require(viewer.last)
        #expect(end.name == "end" && end.json?["type"]?.string == "/problems/\(problem)", "\(end)")
    }

    /// The revision of the current results.
    private static func revision(_ meeting: TestMeeting) async throws -> Int {
        try #require(try await meeting.results().expect(200).json?["revision"]?.int)
    }

    @Test func pagesNameTheirStreamAndTheRevisionThatTheyShow() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: Self.always)
            let share = try await meeting.share().string("token")
            let pages = [
                ("/r/\(share)", "/r/\(share)/live"), ("/f/\(meeting.code)/results", "/f/\(meeting.code)/live"),
            ]
            for _ in 0..<2 {
                try await meeting.submit(#"{"pace": 4}"#).expect(201)
                let revision = try await Self.revision(meeting)
                for (path, live) in pages {
                    for _ in 0..<2 {
                        let page = try await site.client.get(path, headers: ["Accept": "text/html"]).expect(200)
                        let part = "<div id=\"results\" data-live=\"\(live)\" data-revision=\"\(revision)\">"
                        #expect(page.text.contains(part), "\(path)")
                    }
                }
            }
        }
    }

    @Test func streamsHaveTheRevisionsWithoutTheResults() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: Self.always)
            let share = try await meeting.share().string("token")
            let viewers = ["/r/\(share)/live", "/f/\(meeting.code)/live"].map { Self.watch($0, site.client) }
            for count in 0...2 {
                if count > 0 { try await meeting.submit(#"{"pace": 4, "better": "A text"}"#).expect(201) }
                let revision = try await Self.revision(meeting)
                for viewer in viewers { #expect(try await viewer.wait { ($0.revision ?? 0) >= revision }, "\(count)") }
            }
            for viewer in viewers {
                #expect(viewer.status == 200 && viewer.headers["content-type"] == "text/event-stream; charset=utf-8")
                #expect(viewer.headers["x-accel-buffering"] == "no" && viewer.headers["cache-control"] == "no-store")
                #expect(viewer.headers["access-control-allow-origin"] == nil)
                #expect(viewer.events.allSatisfy { $0.name == "results" && $0.data == "1000" })
                await viewer.leave()
            }
        }
    }

    @Test func streamOfASharedPageEndsWithItsLink() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: #""identity": "open""#)
            let other = Self.watch("/r/\(try await meeting.share().string("token"))/live", site.client)
            for isRevoked in [true, false] {
                let share = try await meeting.share()
                let (id, path) = (try share.string("id"), "/r/\(try share.string("token"))")
                let viewer = Self.watch(path + "/live", site.client)
                for viewer in [viewer, other] { #expect(try await viewer.wait { !$0.events.isEmpty }) }
                if isRevoked {
                    try await meeting.host.delete("\(meeting.path)/shares/\(id)").expect(204)
                } else {
                    try await site.fixture.store.pool.execute(
                        "UPDATE share SET expires_at = \(Date()) WHERE id = \(UUID(uuidString: id))")
                }
                try await Self.expectEnd("share-ended", of: viewer)
                #expect(viewer.events.dropLast().allSatisfy { $0.data == "1000" })
                try await site.client.get(path + "/live", headers: Self.headers).expect(410)
                try await site.client.get(path, headers: ["Accept": "text/html"]).expect(410)
                // Holders of other shares are not affected.
                try await meeting.submit(#"{"pace": 4}"#).expect(201)
                let revision = try await Self.revision(meeting)
                #expect(try await other.wait { ($0.revision ?? 0) >= revision })
                #expect(!other.isOver)
            }
            try await site.client.get("/r/nonsense/live", headers: Self.headers).expect(404)
            try await meeting.host.delete(meeting.path).expect(204)
            try await Self.expectEnd("not-found", of: other)
        }
    }

    @Test func streamOfParticipantsRequiresTheReceiptOfTheirBrowser() async throws {
        try await TestSite.run { site in
            let settings = #""identity": "device", "showResults": "afterSubmission""#
            let meeting = try await site.openForm(by: site.signedIn(), settings: settings)
            let path = "/f/\(meeting.code)"
            var guest = PageBrowser(site.client)
            try await guest.get(path + "/live", headers: Self.headers).expect(403)
            let page = try await guest.get(path).expect(200)
            let fields = ["key": try #require(page.field("key")), "version": "1", "a.pace": "4"]
            try await guest.post(path, fields).expect(303)
            for problem in ["results-not-shown", "withdrawn"] {
                let viewer = Self.watch(path + "/live", site.client, cookies: guest.cookies)
                #expect(try await viewer.wait { !$0.events.isEmpty }, "\(viewer.status ?? 0)")
                if problem == "withdrawn" {
                    try await guest.get(path + "/sent").expect(200)
                    try await guest.post(path + "/withdraw").expect(303)
                } else {
                    try await meeting.show("never", settings: #", "identity": "device""#)
                }
                try await Self.expectEnd(problem, of: viewer)
                #expect(viewer.events.dropLast().allSatisfy { $0.data == "1000" })
                if problem != "withdrawn" {
                    try await guest.get(path + "/results").expect(403)
                    try await meeting.show("afterSubmission", settings: #", "identity": "device""#)
                }
            }
        }
    }

    @Test func withheldAnswersAreOnNoPageAndInNoEvent() async throws {
        try await TestSite.run { site in
            let settings = #""anonymous": true, "minimumGroup": 3, "showResults": "always""#
            let meeting = try await site.openForm(by: site.signedIn(), settings: settings)
            let share = "/r/\(try await meeting.share().string("token"))"
            let form = "/f/\(meeting.code)"
            let viewers = [share, form].map { Self.watch($0 + "/live", site.client) }
            for count in 1...7 {
                try await meeting.submit(#"{"pace": 4}"#).expect(201)
                let revision = try await Self.revision(meeting)
                for viewer in viewers { #expect(try await viewer.wait { ($0.revision ?? 0) >= revision }) }
                let shown = count < 6 ? 0 : 3
                for path in [share, form + "/results"] {
                    let page = try await site.client.get(path, headers: ["Accept": "text/html"]).expect(200)
                    for other in 1...7 {
                        let isShown = page.text.contains("<tr data-count=\"\(other)\">")
                        #expect(isShown == (other == shown), "\(path): \(count), \(other)")
                    }
                }
            }
            for viewer in viewers {
                #expect(viewer.events.allSatisfy { $0.name == "results" && $0.data == "1000" })
                await viewer.leave()
            }
        }
    }

    @Test func streamsOfGuestsLeavePlacesForHosts() async throws {
        try await TestService.withPages(options: ServiceOptions(maxViewers: 4)) { service in
            let meeting = try await service.openMeeting(settings: Self.always)
            let paths = ["/r/\(try await service.share(of: meeting))/live", "/f/\(meeting.code)/live"]
            var viewers = [paths[0], paths[1], paths[0]].map { Self.watch($0, service.anyone) }
            for viewer in viewers { #expect(try await viewer.wait { !$0.events.isEmpty }) }
            for path in paths {
                let refused = try await service.anyone.get(path, headers: Self.headers)
                #expect(refused.status == 503 && refused["Retry-After"] == "5", "\(path)")
            }
            viewers.append(meeting.watch())
            #expect(try await viewers[3].wait { !$0.events.isEmpty })
            for viewer in viewers { await viewer.leave() }
        }
    }

    /// All pages together are loaded at most 500 times a second.
    @Test(arguments: [(0, 1_000), (1, 1_000), (500, 1_000), (1_000, 2_000), (15_000, 30_000)])
    func pagesAreLoadedLessOftenWithManyViewers(_ viewers: Int, _ milliseconds: Int) {
        #expect(GuestPace.interval(viewers: viewers) == milliseconds)
    }
}
