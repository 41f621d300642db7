import HTTPAPI
import Logging
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ProblemResponses {
    @Test func unexpectedErrorRevealsNothing() async throws {
        let tape = LogTape()
        try await LiveServer.run(SampleAPI.api(), logger: tape.logger(.info)) { client, _ in
            let response = try await client.get("/broken")
            #expect(response.status == 500)
            #expect(response.problem == "internal-error")
            #expect(response["Cache-Control"] == "no-store")
            #expect(response["X-Content-Type-Options"] == "nosniff")
            #expect(!response.text.contains("hunter2") && !response.text.contains("Secret"))
            let id = try #require(response["X-Request-Id"])
            let line = try #require(tape.lines.first { $0.contains("hunter2") })
            #expect(line.contains(" request=\(id) "))
            #expect(line.hasPrefix("error ") && line.contains("GET /broken"))
        }
    }

    @Test func busyServiceSendsRetryAfter() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await client.get("/busy")
            #expect(response.status == 503)
            #expect(response["Retry-After"] == "3")
        }
    }

    @Test func everyRequestHasItsOwnId() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let first = try await client.get("/list")["X-Request-Id"]
            let second = try await client.get("/list")["X-Request-Id"]
            #expect(first != nil && first != second)
        }
    }

    @Test func requestsOfParticipantsAreNotLogged() async throws {
        let tape = LogTape()
        try await LiveServer.run(SampleAPI.api(), logger: tape.logger(.trace)) { client, _ in
            _ = try await client.post("/forms/secret-code", json: "[1]", headers: ["Authorization": "Respondent key-9"])
            _ = try await client.get("/receipts/secret-id", headers: ["Authorization": "Receipt proof-9"])
            _ = try await client.get("/words/plain-word")
        }
        #expect(tape.lines.contains { $0.contains("answered") && $0.contains("GET /words/{word}") })
        for hidden in ["secret-code", "secret-id", "key-9", "proof-9", "/forms", "/receipts", "plain-word"] {
            #expect(!tape.lines.contains { $0.contains(hidden) }, "\(hidden)")
        }
    }

    private static let malformedHeads = [
        "no version": "GET /list\r\n\r\n\r\n",
        "no colon": "GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n",
        "control characters": "\u{1}\u{2}\u{3}\r\n\r\n",
        "a negative length": "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "two lengths": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "an endless field": "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n",
        "an unknown method": "BREW / HTTP/1.1\r\nHost: x\r\n\r\n",
        "no host": "GET /list HTTP/1.1\r\n\r\n",
        "no host, and a body": "POST /notes HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
        "two hosts": "GET /list HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
        "two hosts in HTTP/1.0": "GET /list HTTP/1.0\r\nHost: x\r\nhost: y\r\n\r\n",
        "marks that take long to compare":
            "GET /list HTTP/1.1\r\nHost: x\r\nCookie: e\(String(repeating: "\u{301}", count: 31))=1\r\n\r\n",
        "an empty host": "GET /list HTTP/1.1\r\nHost: \r\n\r\n",
        "a host with a path": "GET /list HTTP/1.1\r\nHost: x/list\r\n\r\n",
        "a host with a user": "GET /list HTTP/1.1\r\nHost: ann@x\r\n\r\n",
        "a body with two codings": "POST /notes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "two transfer codings":
            "POST /notes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "chunks in HTTP/1.0": "POST /notes HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ]

    @Test(arguments: malformedHeads.keys.sorted())
    func malformedHeadGetsAProblem(name: String) async throws {
        let head = try #require(Self.malformedHeads[name])
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(head)
                return await raw.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 400"))
            #expect(response.contains("/problems/bad-request"))
            #expect(response.lowercased().contains("connection: close"))
            #expect(response.split(separator: "HTTP/1.").count == 1, "only one response is sent")
        }
    }
}
