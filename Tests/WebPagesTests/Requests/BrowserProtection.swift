import HTTPAPI
import TestSupport
import Testing

@testable import WebPages

/// The response headers that make browsers protect their users.
@Suite(.timeLimit(.minutes(5))) struct BrowserProtection {
    private typealias NamedResponse = (name: String, response: HTTPTestClient.Response)

    /// One response of each kind.
    private static func responses(_ site: TestSite) async throws -> [NamedResponse] {
        var host = try await site.signedIn()
        let device = try await site.openForm(by: host)
        let meeting = try await site.openForm(by: host, settings: #""showResults": "always""#)
        let api = site.client.bearing(try host.session)
        let submission = try await meeting.submit(#"{"pace": 4}"#).expect(201)
        let results = try await meeting.results().expect(200)
        let tag = try #require(results["ETag"])
        var guest = PageBrowser(site.client)
        try await guest.get("/f/\(device.code)").expect(200)
        let page = try await guest.get("/f/\(device.code)").expect(200)
        let pageTag = try #require(page["ETag"])
        let stylesheet = String(try #require(page.text.firstMatch(of: /\/static\/[^"]+\.css/)).output)
        return [
            ("submission on the event loop", submission), ("results", results), ("page", page),
            (
                "304 of the API",
                try await api.get("\(meeting.path)/results", headers: ["If-None-Match": tag]).expect(304)
            ),
            (
                "304 of a page",
                try await guest.get("/f/\(device.code)", headers: ["If-None-Match": pageTag]).expect(304)
            ),
            ("HEAD", try await site.client.send("HEAD", "/livez").expect(200)),
            ("live", try await site.client.get("/livez").expect(200)),
            ("401", try await site.client.get("/v1/me").expect(401)),
            ("404 of the API", try await site.client.get("/v1/nowhere").expect(404)),
            ("405", try await site.client.post("/livez").expect(405)),
            ("404 of a page", try await guest.get("/nowhere").expect(404)),
            ("redirect", try await guest.get("/home").expect(303)),
            ("static", try await site.client.get(stylesheet).expect(200)),
            ("405 of a static file", try await site.client.post(stylesheet).expect(405)),
            ("export", try await host.get("/meetings/\(meeting.id)/export/submissions.csv").expect(200)),
            ("events", try await api.get("\(meeting.path)/results/live").expect(200)),
        ]
    }

    private static func malformed(_ site: TestSite) async throws -> String {
        try await RawConnection.open(port: site.client.port) { await $0.exchange("GET / HTTP/1.1\r\n\r\n") }
    }

    @Test func browsersUseOnlyHTTPSIfThePublicURLDoes() async throws {
        try await TestSite.run { site in
            for (name, response) in try await Self.responses(site) {
                #expect(response["Strict-Transport-Security"] == "max-age=31536000", "\(name)")
            }
            let malformed = try await Self.malformed(site)
            #expect(malformed.hasPrefix("HTTP/1.1 400 "))
            #expect(malformed.lowercased().contains("\r\nstrict-transport-security: max-age=31536000\r\n"))
        }
    }

    @Test func strictTransportSecurityIsNotSentWithoutHTTPS() async throws {
        try await TestSite.run(publicURL: "http://feedback.example.org") { site in
            for (name, response) in try await Self.responses(site) {
                #expect(response["Strict-Transport-Security"] == nil, "\(name)")
            }
            #expect(try await !Self.malformed(site).lowercased().contains("strict-transport-security"))
        }
    }

    @Test func everyResponseForbidsSniffing() async throws {
        try await TestSite.run { site in
            for (name, response) in try await Self.responses(site) {
                #expect(response["X-Content-Type-Options"] == "nosniff", "\(name)")
            }
            #expect(try await Self.malformed(site).lowercased().contains("\r\nx-content-type-options: nosniff\r\n"))
        }
    }

    @Test func everyResponseHasAContentSecurityPolicy() async throws {
        try await TestSite.run { site in
            for (name, response) in try await Self.responses(site) {
                let policy = try #require(response["Content-Security-Policy"], "\(name)")
                #expect(
                    policy.hasPrefix("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"), "\(name)")
                let isPage = response["Content-Type"]?.hasPrefix("text/html") ?? false
                #expect(policy.contains("script-src") == isPage, "\(name)")
            }
            let malformed = try await Self.malformed(site).lowercased()
            #expect(malformed.contains("\r\ncontent-security-policy: default-src 'none'; frame-ancestors 'none'\r\n"))
        }
    }

    @Test func otherSitesReadNoEventsByTheCookieOfAHost() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let events = ["Accept": "text/event-stream", "Origin": "https://other.example.com"]
            for path in ["/home/live", "/meetings/\(meeting.id)/live"] {
                let stream = try await host.get(path, headers: events).expect(200)
                #expect(stream["Content-Type"]?.hasPrefix("text/event-stream") == true, "\(path)")
                #expect(stream["Access-Control-Allow-Origin"] == nil, "\(path)")
            }
            let api = site.client.bearing(try host.session)
            let stream = try await api.get("\(meeting.path)/results/live").expect(200)
            #expect(stream["Access-Control-Allow-Origin"] == "*", "a stream of the API uses no cookie")
        }
    }

    @Test func picturesOfTrendsCannotRunScripts() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""showResults": "always""#)
            try await meeting.rate(3, 4)
            try await meeting.next().rate(5)
            let picture = try await host.get("/series/\(meeting.seriesID)/trends/pace.svg").expect(200)
            #expect(picture["Content-Type"] == "image/svg+xml; charset=utf-8")
            #expect(
                picture["Content-Security-Policy"]
                    == "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
            #expect(picture["Strict-Transport-Security"] == "max-age=31536000")
        }
    }
}
