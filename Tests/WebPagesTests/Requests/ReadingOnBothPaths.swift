import HTTPAPI
import HTTPServer
import HTTPTypes
import Store
import TestSupport
import Testing

@testable import WebPages

/// Plain GETs are answered ahead of the engine, exactly as the engine would answer them.
@Suite(.timeLimit(.minutes(3))) struct ReadingOnBothPaths {
    /// A header that makes the engine handle a request, and has no other effect.
    private static let engine = ["TE": "trailers"]
    /// The headers whose values may differ between two responses to the same request.
    private static let variableHeaders = ["date", "x-request-id", "set-cookie", "content-length", "etag"]

    private static func sites(_ site: TestSite) async throws -> (api: API, pages: WebSite) {
        let api = try AfterwordAPI.api(store: site.fixture.store, metrics: PrometheusRegistry())
        let pages = WebSite(
            api, store: site.fixture.store, resources: try await TestSite.resources.value,
            options: WebSiteOptions(publicURL: TestSite.origin))
        return (api, pages)
    }

    /// The paths of all GETs that are not streamed. A parameter that is not in `values` is the meeting's id.
    private static func paths(_ site: TestSite, _ meeting: TestMeeting) async throws -> [String] {
        let (api, pages) = try await sites(site)
        let reading = api.table.routes.filter { $0.method == .get && !$0.isStreamed && $0.path != "/metrics" }
        let patterns =
            reading.map(\.path) + pages.routes.filter { $0.methods.contains("GET") && !$0.isStreamed }.map(\.pattern)
        let values = ["key": "pace", "code": meeting.code, "file": "pace.svg"]
        return patterns.map { pattern in
            pattern.replacing("/series/{id}", with: "/series/\(meeting.seriesID)")
                .replacing(/\{([a-zA-Z]+)\}/) { values[String($0.1)] ?? meeting.id }
        } + ["/nowhere", "/v1/nowhere", "/v1/meetings/none", "/static/nothing.css"]
    }

    /// The response without the parts that may differ between two responses to the same request.
    private static func comparable(_ response: HTTPTestClient.Response) -> [String] {
        let headers = response.headers.filter { !variableHeaders.contains($0.key) }.map { "\($0.key): \($0.value)" }
        // Each response has a CSRF token and keys of its own.
        let body = response.text.replacing(/value="[A-Za-z0-9_-]{20,}"/, with: "")
            .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "")
            .replacing(/\d\d:\d\d:\d\d[.\d]*Z/, with: "")
            .replacing(/CreationDate \(D:\d+Z\)/, with: "")
        return ["\(response.status)"] + headers.sorted() + body.split(separator: "\n").map(String.init)
    }

    @Test func bothPathsReturnTheSameResponse() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""showResults": "always""#)
            try await meeting.submit(#"{"pace": 4, "better": "More time"}"#).expect(201)
            let api = site.client.bearing(try host.session)
            var statuses: Set<Int> = []
            for path in try await Self.paths(site, meeting) {
                let isPage = !path.hasPrefix("/v1")
                let plain = isPage ? try await host.get(path) : try await api.get(path)
                let ofEngine =
                    isPage
                    ? try await host.get(path, headers: Self.engine) : try await api.get(path, headers: Self.engine)
                let lines = (Self.comparable(plain), Self.comparable(ofEngine))
                // Only the first difference is shown, because printing a comparison of whole pages takes minutes.
                let difference = zip(lines.0, lines.1).first { $0 != $1 }
                let shown = difference.map { "\($0.0.prefix(300)) | \($0.1.prefix(300))" } ?? ""
                #expect(difference == nil && lines.0.count == lines.1.count, "\(path): \(shown)")
                statuses.insert(plain.status)
                let head = try await (isPage ? site.client : api).send("HEAD", path)
                #expect(head.body.isEmpty, "\(path)")
            }
            #expect(statuses.isSuperset(of: [200, 303, 404]))
        }
    }

    @Test func currentTagIsAnsweredWith304OnBothPaths() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let results = meeting.path + "/results"
            let tag = try #require(try await meeting.host.get(results).expect(200)["ETag"])
            for headers in [[:], Self.engine] {
                let response = try await meeting.host.get(
                    results, headers: headers.merging(["If-None-Match": tag]) { $1 })
                #expect(
                    response.status == 304 && response.body.isEmpty && response["ETag"] == tag
                        && response["Content-Length"] == nil)
            }
            let refused = try await site.client.get(results)
            #expect(refused.status == 401 && refused.problem == "unauthorized")
        }
    }

    /// The response of an event stream has no end, and an export may be larger than memory.
    @Test func exportsAndEventStreamsAreLeftToTheEngine() async throws {
        try await TestSite.run { site in
            let (api, pages) = try await Self.sites(site)
            let streamed = api.table.routes.filter(\.isStreamed).map(\.path)
            let expected = api.table.routes.map(\.path).filter { $0.contains("/export/") || $0.hasSuffix("/live") }
            #expect(Set(streamed) == Set(expected) && !streamed.isEmpty)
            let relayed = pages.routes.filter(\.isStreamed).map(\.pattern)
            #expect(
                Set(relayed) == [
                    "/meetings/{id}/live", "/meetings/{id}/export/{file}", "/admin/exports/file", "/home/live",
                    "/series/{id}/export/{file}", "/f/{code}/live", "/r/{token}/live",
                ])
        }
    }
}
