import HTTPServer
import NIOCore
import StrictJSON
import TestSupport
import Testing

@testable import HTTPAPI

@Suite(.timeLimit(.minutes(15))) struct RequestBodies {
    @Test func validBodyIsDecoded() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await client.post("/notes", json: #"{"title": "Retro", "count": 2}"#)
            #expect(response.status == 201)
            #expect(response.text == #"{"title":"Retro","count":2}"#)
            #expect(response["Cache-Control"] == "no-store")
            #expect(response["Server"] == nil)
            #expect(response["Date"] != nil)
        }
    }

    @Test(arguments: [
        (#"{"title": "a",}"#, " invalid-json"), (#"{"title": "a"} x"#, " invalid-json"), ("", " invalid-json"),
        (#"{"title": "a", "title": "b"}"#, "/title duplicate-field"), (#"{"title": 1}"#, "/title wrong-type"),
        (#"{"title": "a", "colour": 1}"#, "/colour unknown-field"), ("[1]", " wrong-type"),
        (#"{"title": "\ud800"}"#, " invalid-json"), (#"{"title": "a" /* b */}"#, " invalid-json"),
    ])
    func invalidJSONIsABadRequest(body: String, fault: String) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await client.post("/notes", json: body)
            #expect(response.status == 400)
            #expect(response.problem == "bad-request")
            #expect(response.faults.first == fault)
        }
    }

    @Test func invalidUTF8IsABadRequest() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let body = Array(#"{"title": ""#.utf8) + [0xff] + Array(#""}"#.utf8)
            let response = try await client.send("POST", "/notes", body: body)
            #expect(response.status == 400)
            #expect(response.faults == [" invalid-utf8"])
        }
    }

    @Test func allFaultsAreReportedTogether() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await client.post("/notes", json: #"{"count": "x", "b": 1}"#)
            #expect(response.status == 400)
            #expect(Set(response.faults) == ["/title required", "/count wrong-type", "/b unknown-field"])
            #expect(try await client.post("/notes", json: "{}").status == 422)
        }
    }

    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "application/jsonp", "",
    ])
    func otherMediaTypesAreRefused(type: String) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await client.post("/notes", json: "{}", headers: ["Content-Type": type])
            #expect(response.problem == "unsupported-media-type")
            #expect(response.status == 415)
        }
    }

    @Test func parametersOfTheJSONMediaTypeAreAccepted() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            for type in ["Application/JSON", "application/json;charset=UTF-8", "application/json; charset=\"utf-8\""] {
                let response = try await client.post("/notes", json: #"{"title":"a"}"#, headers: ["Content-Type": type])
                #expect(response.status == 201, "\(type)")
            }
            let compressed = try await client.post("/notes", json: "{}", headers: ["Content-Encoding": "gzip"])
            #expect(compressed.status == 415)
        }
    }

    @Test func bodyOverTheLimitIsRefusedBeforeItIsRead() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(Self.head("Content-Length: 201") + "{")
                return await raw.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 413"))
            #expect(response.contains("/problems/content-too-large"))
        }
    }

    @Test func bodySentAfterTheRefusalDoesNotBlockTheConnection() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(Self.head("Content-Length: 300"))
                _ = try await raw.read(until: "/problems/content-too-large")
                // On a busy machine the connection may already be closed, which is also correct.
                try? await raw.send(String(repeating: " ", count: 300))
                return await raw.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test func chunkedBodyOverTheLimitIsRefused() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                let chunk = "64\r\n" + String(repeating: " ", count: 100) + "\r\n"
                try await raw.send(Self.head("Transfer-Encoding: chunked") + chunk + chunk + chunk)
                return await raw.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test func bodyAtTheLimitIsAccepted() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ async throws in
            let title = String(repeating: "a", count: 200 - #"{"title":""}"#.count)
            #expect(try await client.post("/notes", json: #"{"title":"\#(title)"}"#).status == 201)
            #expect(try await client.post("/notes", json: #"{"title":"\#(title)a"}"#).status == 413)
        }
    }

    @Test func slowBodyTimesOut() async throws {
        var limits = ConnectionLimits()
        limits.bodyTimeout = .milliseconds(100)
        try await LiveServer.run(SampleAPI.api(limits: limits)) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(Self.head("Content-Length: 20") + "{")
                return await raw.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 408"))
            #expect(response.contains("/problems/request-timeout"))
        }
    }

    @Test func malformedChunksAreABadRequest() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(Self.head("Transfer-Encoding: chunked") + "zz\r\n{}\r\n0\r\n\r\n")
                return await raw.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 400"))
            #expect(response.contains("/problems/bad-request"))
        }
    }

    @Test func expectContinueIsAnswered() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(Self.head("Content-Length: 13\r\nExpect: 100-continue\r\nConnection: close"))
                #expect(try await raw.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
                try await raw.send(#"{"title":"a"}"#)
                return await raw.readToEnd()
            }
            #expect(response.contains("HTTP/1.1 201"))
        }
    }

    @Test func optionalBodyMayBeAbsent() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ async throws in
            #expect(try await client.post("/forms/a").text == "[null,null]")
            #expect(try await client.post("/forms/a", json: "[1]").text == "[null,[1]]")
        }
    }

    @Test(arguments: ["short", "with space inside", "umlaut-ä-sixteen", String(repeating: "k", count: 256)])
    func invalidIdempotencyKeysAreRefused(key: String) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            #expect(try await client.post("/forms/a", headers: ["Idempotency-Key": key]).status == 400)
            let valid = try await client.post("/forms/a", headers: ["Idempotency-Key": "0123456789abcdef"])
            #expect(valid.text == #"["0123456789abcdef",null]"#)
        }
    }

    private static func head(_ fields: String) -> String {
        "POST /notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\(fields)\r\n\r\n"
    }
}
