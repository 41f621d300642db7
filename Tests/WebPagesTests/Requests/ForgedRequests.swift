import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// Requests that another site makes a browser send to the service, which has an https address.
@Suite(.timeLimit(.minutes(15))) struct ForgedRequests {
    /// The headers of a request from another host of the same domain.
    private static let sibling = ["Sec-Fetch-Site": "same-site", "Origin": "https://evil.example.org"]
    /// A cookie value that another host of the domain has set.
    private static let planted = String(repeating: "D", count: 32)

    /// Runs `body` with a signed-in host and an open form.
    private static func run(_ body: (TestSite, PageBrowser, TestMeeting) async throws -> Void) async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            try await body(site, host, try await site.openForm(by: host))
        }
    }

    private static func isOpen(_ meeting: TestMeeting) async throws -> Bool {
        try await meeting.form().string("state") == "open"
    }

    /// The browser after a restart, with the session cookie only.
    private static func restarted(_ browser: PageBrowser) -> PageBrowser {
        var browser = browser
        browser.cookies = browser.cookies.filter { $0.key.hasSuffix("session") }
        return browser
    }

    @Test func plantedTokenIsRefused() async throws {
        try await Self.run { site, host, meeting in
            for name in ["__Secure-afterword-csrf", "afterword-csrf"] {
                for headers in [
                    Self.sibling, ["Origin": "https://evil.example.org"], ["Sec-Fetch-Site": "same-site"], [:],
                ] {
                    var victim = Self.restarted(host)
                    victim.cookies[name] = Self.planted
                    let response = try await victim.post(
                        "/meetings/\(meeting.id)", ["csrf": Self.planted, "act": "close"], headers: headers)
                    #expect(response.status == 403, "\(name) \(headers)")
                }
            }
            #expect(try await Self.isOpen(meeting))
        }
    }

    @Test func otherOriginsAreRefusedEvenWithAValidToken() async throws {
        try await Self.run { site, host, meeting in
            var host = host
            try await host.get("/meetings/\(meeting.id)").expect(200)
            for headers in [
                Self.sibling, ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": "cross-site"],
                ["Sec-Fetch-Site": "anything"], ["Origin": "https://evil.example.org"], ["Origin": "null"],
                ["Origin": "http://feedback.example.org"], ["Origin": "https://feedback.example.org:8443"],
                ["Origin": "https://feedback.example.org.evil.example"], ["Origin": ""],
                ["Origin": "https://evil.example.org", "Sec-Fetch-Site": "same-origin"],
                // The origin has to be the public address, not the address in the request's `Host`.
                ["Origin": "http://127.0.0.1:\(site.client.port)"],
            ] {
                var attacker = host
                let response = try await attacker.post("/meetings/\(meeting.id)", ["act": "close"], headers: headers)
                #expect(response.status == 403, "\(headers)")
            }
            #expect(try await Self.isOpen(meeting))
        }
    }

    @Test func countdownOnTheStageNeedsAValidToken() async throws {
        try await Self.run { site, host, meeting in
            var host = host
            let path = "/meetings/\(meeting.id)/stage"
            let forged = try await host.post(path, ["csrf": Self.planted, "minutes": "1"])
            #expect(forged.status == 403 && forged.text.contains("role=\"alert\""))
            #expect(try await meeting.form().text.contains("\"closes\":null"))
            try await host.post(path, ["minutes": "3"]).expect(400)
            try await host.post(path, ["minutes": "2"]).expect(303)
            let closing = try await meeting.form().json?["closes"]
            #expect(closing?.string != nil)
            try await meeting.perform("close").expect(200)
            try await host.post(path, ["minutes": "5"]).expect(303)
            #expect(try await meeting.form().json?["closes"] == closing, "the form was closed in the meantime")
        }
    }

    @Test func plantedSessionDoesNotSignIn() async throws {
        try await Self.run { site, host, _ in
            for name in ["__Secure-afterword-session", "afterword-session", "__host-afterword-session"] {
                var victim = PageBrowser(site.client)
                victim.cookies[name] = try host.session
                let response = try await victim.get("/home")
                #expect(response.status == 303 && response["Location"]?.hasPrefix("/sign-in") == true, "\(name)")
            }
        }
    }

    @Test func plantedCookieAndTokenNeitherSignInNorOut() async throws {
        try await Self.run { site, host, _ in
            let credentials = ["csrf": Self.planted, "email": "other@example.org", "password": TestStore.password]
            for headers in [Self.sibling, [:]] {
                var victim = PageBrowser(site.client)
                victim.cookies["__Secure-afterword-csrf"] = Self.planted
                let response = try await victim.post("/sign-in", credentials, headers: headers)
                #expect(response.status == 403 && response["Set-Cookie"]?.contains("session") != true)
                victim = Self.restarted(host)
                victim.cookies["__Secure-afterword-csrf"] = Self.planted
                let out = try await victim.post("/sign-out", ["csrf": Self.planted], headers: headers)
                #expect(out["Set-Cookie"]?.contains("session") != true)
            }
            try await site.client.bearing(try host.session).get("/v1/me").expect(200)
        }
    }

    @Test func tokenIsBoundToItsSession() async throws {
        try await Self.run { site, host, meeting in
            var (host, other) = (host, try await site.signedIn("admin@example.org"))
            try await other.get("/home").expect(200)
            let foreign = try await host.post("/meetings/\(meeting.id)", ["csrf": other.token, "act": "close"])
            #expect(foreign.status == 403, "the token of another session")
            var early = PageBrowser(site.client)
            try await early.get("/sign-in").expect(200)
            let beforeSignIn = early.token
            let credentials = ["email": "host@example.org", "password": TestStore.password]
            try await early.post("/sign-in", credentials).expect(303)
            let old = try await early.post("/meetings/\(meeting.id)", ["csrf": beforeSignIn, "act": "close"])
            #expect(old.status == 403, "a token from before the sign-in")
            for token in ["", "x", Self.planted, String(repeating: "A", count: 86)] {
                #expect(try await early.post("/meetings/\(meeting.id)", ["csrf": token, "act": "close"]).status == 403)
            }
            #expect(try await Self.isOpen(meeting))
        }
    }

    @Test func signOutWithTheTokenOfAnotherSessionKeepsTheSession() async throws {
        try await TestSite.run { site in
            var earlier = try await site.signedIn()
            try await earlier.get("/home").expect(200)
            var browser = try await site.signedIn()
            let response = try await browser.post("/sign-out", ["csrf": earlier.token])
            #expect(response.status == 303 && response["Location"] == "/home")
            #expect(try await browser.get("/home").text.contains("You are still signed in"))
        }
    }

    // MARK: Requests that must be accepted

    @Test func formsOfOwnPagesAreAccepted() async throws {
        try await Self.run { site, host, meeting in
            let accepted = [
                [:], ["Origin": TestSite.origin], ["Origin": TestSite.origin, "Sec-Fetch-Site": "same-origin"],
                ["Sec-Fetch-Site": "none"], ["Origin": "HTTPS://Feedback.example.org:443"],
                // A privacy setting hides the origin, but the browser reports that it is the same.
                ["Origin": "null", "Sec-Fetch-Site": "same-origin"],
            ]
            for headers in accepted {
                // After a restart of the browser, the session cookie alone is enough.
                var host = Self.restarted(host)
                try await host.get("/meetings/\(meeting.id)").expect(200)
                try await host.post("/meetings/\(meeting.id)", ["act": "close"], headers: headers).expect(303)
                try await host.get("/meetings/\(meeting.id)").expect(200)
                try await host.post("/meetings/\(meeting.id)", ["act": "reopen"], headers: headers).expect(303)
            }
            var host = host
            try await host.get("/home").expect(200)
            try await host.post("/sign-out", headers: ["Origin": TestSite.origin]).expect(303)
            #expect(host.cookies["__Host-afterword-session"] == nil)
            #expect(try await host.get("/home").status == 303)
        }
    }

    @Test func participantsAnswerWithAndWithoutCookies() async throws {
        try await Self.run { site, host, meeting in
            let path = "/f/\(meeting.code)"
            var guest = PageBrowser(site.client)
            try await guest.get(path).expect(200)
            #expect(try await guest.post(path, ["a.pace": "3"], headers: Self.sibling).status == 403)
            try await guest.post(path, ["a.pace": "3"], headers: ["Origin": TestSite.origin]).expect(303)
            // In a frame of another site, a browser sends no cookies, but reports whether the form has the service's
            // origin.
            for (fetchSite, status) in [("same-origin", 303), ("same-site", 403), ("cross-site", 403), ("none", 403)] {
                var framed = PageBrowser(guest.client)
                framed.keepsCookies = false
                try await framed.get(path).expect(200)
                let response = try await framed.post(path, ["a.pace": "4"], headers: ["Sec-Fetch-Site": fetchSite])
                #expect(response.status == status, "\(fetchSite)")
            }
            // A form that was opened before a sign-in remains valid.
            var visitor = PageBrowser(site.client)
            try await visitor.get(path).expect(200)
            let token = visitor.token
            try await visitor.get("/sign-in").expect(200)
            let credentials = ["email": "host@example.org", "password": TestStore.password]
            try await visitor.post("/sign-in", credentials).expect(303)
            try await visitor.post(path, ["csrf": token, "a.pace": "5"]).expect(303)
        }
    }

    @Test func withoutHTTPSTheOriginMayBeTheRequestedHost() async throws {
        try await TestSite.run(publicURL: "http://127.0.0.1:8080") { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            for (headers, status) in [
                (["Origin": "http://127.0.0.1:8080"], 303), (["Origin": "http://127.0.0.1:\(site.client.port)"], 303),
                (["Origin": "http://hall.example:9000", "Host": "hall.example:9000"], 303),
                (["Origin": "https://hall.example", "Host": "hall.example"], 303),
                (["Origin": "http://hall.example:9001", "Host": "hall.example:9000"], 403),
                (["Origin": "http://evil.example"], 403), (["Origin": "null"], 403),
            ] {
                var host = host
                try await host.get("/meetings/\(meeting.id)").expect(200)
                let response = try await host.post("/meetings/\(meeting.id)", ["act": "close"], headers: headers)
                #expect(response.status == status, "\(headers)")
                if status == 303 { try await meeting.perform("reopen").expect(200) }
            }
        }
    }

    @Test func instancesWithTheSameSecretFileAcceptEachOthersForms() async throws {
        try await TestStore.run { fixture in
            let key = try fixture.store.keys.key(for: .csrf)
            let options = WebSiteOptions(publicURL: TestSite.origin, csrfKey: key)
            try await TestSite.serve(fixture, options) { first in
                var host = try await first.signedIn()
                let meeting = try await first.openForm(by: host)
                try await host.get("/meetings/\(meeting.id)").expect(200)
                func close(at site: TestSite) async throws -> Int {
                    var elsewhere = PageBrowser(site.client)
                    elsewhere.cookies = host.cookies
                    return try await elsewhere.post(
                        "/meetings/\(meeting.id)", ["csrf": host.token, "act": "close"]
                    ).status
                }
                let withAnotherKey = WebSiteOptions(publicURL: TestSite.origin)
                #expect(try await TestSite.serve(fixture, withAnotherKey, { try await close(at: $0) }) == 403)
                #expect(try await TestSite.serve(fixture, options, { try await close(at: $0) }) == 303)
            }
        }
    }

    @Test func tokensDifferBetweenPagesAndRemainValid() async throws {
        try await Self.run { _, host, meeting in
            var host = host
            try await host.get("/meetings/\(meeting.id)").expect(200)
            let first = host.token
            try await host.get("/meetings/\(meeting.id)").expect(200)
            #expect(host.token != first)
            try await host.post("/meetings/\(meeting.id)", ["csrf": first, "act": "close"]).expect(303)
            // A cached copy of a form still matches its ETag, and its token is valid.
            try await meeting.perform("reopen").expect(200)
            var guest = PageBrowser(host.client)
            let page = try await guest.get("/f/\(meeting.code)").expect(200)
            let tag = try #require(page["ETag"])
            let cached = try await guest.get("/f/\(meeting.code)", headers: ["If-None-Match": tag])
            #expect(cached.status == 304)
            try await guest.post("/f/\(meeting.code)", ["a.pace": "3"]).expect(303)
        }
    }

    @Test func refusedFormsOfHostsAreLogged() async throws {
        let tape = LogTape()
        try await TestSite.run(logger: tape.logger()) { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            try await host.get("/meetings/\(meeting.id)").expect(200)
            for _ in 1...3 {
                #expect(
                    try await host.post("/meetings/\(meeting.id)", ["act": "close"], headers: Self.sibling).status
                        == 403)
            }
            let lines = tape.lines.filter { $0.contains("event=forged-form ") }
            #expect(lines.count == 1)
            let line = try #require(lines.first)
            #expect(line.hasPrefix("notice ") && line.contains("route=POST /meetings/{id}"))
            #expect(line.contains("account=\(site.fixture.host.account.id.uuidString.lowercased()) "))
            #expect(line.contains(/client=[0-9a-f]{12}\b/))
            // Refused forms of participants are not logged.
            var guest = PageBrowser(site.client)
            try await guest.get("/f/\(meeting.code)").expect(200)
            for path in ["/f/\(meeting.code)", "/j/00000000"] {
                #expect(try await guest.post(path, ["a.pace": "3"], headers: Self.sibling).status == 403)
            }
            var stranger = PageBrowser(site.client)
            try await stranger.get("/reset?token=secret-token").expect(200)
            let refused = try await stranger.post("/reset", ["token": "secret-token"], headers: Self.sibling)
            #expect(refused.status == 422)
            let events = tape.lines.filter { $0.contains("event=") && !$0.contains("event=sign-in ") }
            #expect(events.count == 2 && events[1].contains("route=POST /reset") && !events[1].contains("account="))
            for hidden in [meeting.code, meeting.id, "secret-token", host.token, try host.session, "127.0.0.1", "@"] {
                // The engine's startup lines contain its listening address.
                let lines = tape.lines.filter { !$0.contains("listening on") && !$0.contains("sl-service") }
                #expect(lines.filter { $0.contains(hidden) } == [], "\(hidden)")
            }
        }
    }
}
