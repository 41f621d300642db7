import HTTPAPI
import HTTPServer
import HTTPTypes
import NIOCore
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// Tests which requests take the shortcut, and that the responses are the same on both paths.
@Suite(.timeLimit(.minutes(15))) struct ShortcutPaths {
    @Test func plainRequestTakesTheShortcut() async throws {
        try await LiveServer.run(SampleShortcut().api()) { client, _ in
            for headers in [[:], ["Accept": "application/json"], ["Authorization": "Respondent abc"]] {
                let response = try await client.post("/quick/one", json: #"{"a":1}"#, headers: headers)
                #expect(response.status == 201 && response.text == #""short one of 7""#)
            }
        }
    }

    @Test func bothPathsReturnTheSameHeaders() async throws {
        try await LiveServer.run(SampleShortcut().api()) { client, _ in
            let responses = [
                try await client.post("/quick/same", json: "{}"), try await client.post("/quick/left", json: "{}"),
            ]
            #expect(responses.map(\.text) == [#""short same of 2""#, #""long left of 2""#])
            let names = responses.map { $0.headers.keys.sorted() }
            #expect(names[0] == names[1])
            #expect(
                names[0] == [
                    "cache-control", "content-length", "content-security-policy", "content-type", "date",
                    "x-content-type-options", "x-request-id",
                ])
            for name in ["cache-control", "content-security-policy", "content-type", "x-content-type-options"] {
                #expect(responses[0][name] == responses[1][name], "\(name)")
            }
            for response in responses {
                let id = try #require(response["X-Request-Id"])
                #expect(id.count == 36 && id == id.lowercased() && id.dropFirst(14).first == "4", "\(id)")
                #expect(
                    response["Date"]?.contains(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d GMT$/) == true)
            }
            #expect(responses[0]["X-Request-Id"] != responses[1]["X-Request-Id"])
        }
    }

    @Test(arguments: [
        ["Content-Type": "application/json; charset=utf-8"], ["Content-Encoding": "identity"],
        ["Expect": "100-continue"], ["Connection": "close"], ["Connection": "Upgrade"],
    ])
    func unusualRequestsBypassTheShortcut(headers: [String: String]) async throws {
        try await LiveServer.run(SampleShortcut().api()) { client, _ in
            let response = try await client.post("/quick/one", json: "{}", headers: headers)
            #expect(response.status == 201 && response.text == #""long one of 2""#)
        }
    }

    @Test func chunkedAndLongBodiesBypassTheShortcut() async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            let long = try await client.post("/quick/one", json: "\"" + String(repeating: "a", count: 16 * 1024) + "\"")
            #expect(long.text == #""long one of 16386""#)
            let limit = try await client.post(
                "/quick/one", json: "\"" + String(repeating: "a", count: 16 * 1024 - 2) + "\"")
            #expect(limit.text == #""short one of 16384""#)
            let chunked = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(
                    "POST /quick/one HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
                return await raw.readToEnd()
            }
            #expect(chunked.responses == ["long one of 2"])
        }
        #expect(sample.shortcuts.load(ordering: .relaxed) == 1)
    }

    @Test func shortcutsRefuseInvalidRequestsLikeRoutes() async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            let accept = try await client.post("/quick/one", json: "{}", headers: ["Accept": "text/html"])
            #expect(accept.status == 406)
            let scheme = try await client.post("/quick/one", json: "{}", headers: ["Authorization": "Basic abc"])
            #expect(scheme.status == 401)
            #expect(try await client.post("/quick/one?a=1", json: "{}").faults.count == 1)
            #expect(try await client.post("/quick/one", json: "").status == 400)
            #expect(try await client.get("/quick/one").status == 405)
            #expect(try await client.post("/quick", json: "{}").status == 404)
        }
        #expect(sample.shortcuts.load(ordering: .relaxed) == 0)
    }

    @Test func problemsAreReportedAndUnexpectedErrorsAreHidden() async throws {
        let tape = LogTape()
        try await LiveServer.run(SampleShortcut().api(), logger: tape.logger()) { client, _ in
            let full = try await client.post("/quick/full", json: "{}")
            #expect(full.status == 503 && full.problem == "overloaded" && full["Retry-After"] == "7")
            #expect(full["Content-Type"] == "application/problem+json")
            let broken = try await client.post("/quick/broken", json: "{}")
            #expect(broken.status == 500 && broken.problem == "internal-error")
            let id = try #require(broken["X-Request-Id"])
            #expect(broken.json?["instance"]?.string == "urn:uuid:\(id)")
            #expect(!broken.text.contains("Secret"))
            #expect(tape.lines.contains { $0.contains("Secret") && $0.contains(" request=\(id) ") })
        }
    }

    @Test func bothPathsAreCountedAlike() async throws {
        let registry = PrometheusRegistry()
        try await LiveServer.run(SampleShortcut().api(metrics: registry)) { client, _ in
            for word in ["one", "left", "two", "full"] { _ = try await client.post("/quick/\(word)", json: "{}") }
        }
        let lines = registry.exposition().split(separator: "\n").filter { $0.contains("/quick/{word}") }
        #expect(lines.contains { $0.hasPrefix("http_requests_total") && $0.contains("2xx") && $0.hasSuffix(" 3") })
        #expect(lines.contains { $0.hasPrefix("http_requests_total") && $0.contains("5xx") && $0.hasSuffix(" 1") })
        #expect(lines.contains { $0.hasPrefix("http_request_duration_seconds_count") && $0.hasSuffix(" 4") })
    }
}
