import HTTPAPI
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ConditionalRequests {
    @Test(arguments: ["\"7\"", "W/\"7\"", "*", "\"1\", W/\"7\"", "\"a,b\",\"7\""])
    func matchingTagGetsNotModified(header: String) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await client.get("/things/\(SampleAPI.accountID)", headers: ["If-None-Match": header])
            #expect(response.status == 304)
            #expect(response.body.isEmpty)
            #expect(response["ETag"] == "\"7\"")
        }
    }

    @Test(arguments: ["\"8\"", "7", "\"7", "", "\"7\" \"8\""])
    func tagsThatDoNotMatchGetTheFullResponse(header: String) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await client.get("/things/\(SampleAPI.accountID)", headers: ["If-None-Match": header])
            #expect(response.status == 200)
            #expect(response["Cache-Control"] == "private, no-cache")
        }
    }

    @Test func changeRequiresAMatchingTag() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let path = "/things/\(SampleAPI.accountID)"
            #expect(try await client.put(path, json: "1").problem == "precondition-required")
            for stale in ["\"6\"", "W/\"7\"", "nonsense"] {
                let response = try await client.put(path, json: "{", headers: ["If-Match": stale])
                #expect(response.problem == "precondition-failed", "the tag \(stale) is checked before the body")
            }
            #expect(try await client.put(path, json: "1", headers: ["If-Match": "\"7\""])["ETag"] == "\"8\"")
            #expect(try await client.put(path, json: "1", headers: ["If-Match": "*"]).status == 200)
        }
    }

    @Test(arguments: [
        (nil, true), ("*/*", true), ("application/json", true), ("application/*", true), ("text/html, */*;q=0.1", true),
        ("text/csv", false), ("application/json;q=0", false), ("*/*, application/json;q=0.0", false),
        ("application/*;q=0, application/json", true), ("APPLICATION/JSON; charset=utf-8", true), ("*/*;q=0", false),
    ])
    func acceptHeaderIsNegotiated(header: String?, isAcceptable: Bool) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await client.get("/things/latest", headers: header.map { ["Accept": $0] } ?? [:])
            #expect(response.status == (isAcceptable ? 200 : 406))
            #expect(isAcceptable || response.problem == "not-acceptable")
        }
    }

    @Test func queryIsValidatedStrictly() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let valid = try await client.get("/list?limit=7&from=2026-11-21T09:30:00+01:00&role=admin")
            #expect(valid.text == #"{"limit":7,"from":"2026-11-21T08:30:00Z","role":"admin"}"#)
            #expect(try await client.get("/list?from=2026-11-21").json?["from"] == .string("2026-11-21T00:00:00Z"))
            let invalid = try await client.get("/list?limit=0&limit=2&from=yesterday&role=owner&colour=red")
            #expect(invalid.status == 422)
            #expect(invalid.problem == "validation-failed")
            #expect(
                Set(invalid.faults) == [
                    "?limit repeated-parameter", "?limit out-of-range", "?from invalid-time", "?role unknown-choice",
                    "?colour unknown-parameter",
                ])
            #expect(try await client.get("/list?limit=%FF").faults == ["? invalid-encoding"])
            #expect(try await client.get("/list?limit=1e1").faults == ["?limit not-an-integer"])
            #expect(try await client.get("/things/latest?x=1").faults == ["?x unknown-parameter"])
            #expect(try await client.get("/list?").status == 200)
        }
    }
}
