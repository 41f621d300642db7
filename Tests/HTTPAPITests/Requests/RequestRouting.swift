import Domain
import HTTPAPI
import HTTPTypes
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct RequestRouting {
    @Test func unknownPathsAreNotFound() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            for path in ["/", "/nothing", "/things", "/list/", "//list", "/things/7/x", "/list%", "/%6cist"] {
                let response = try await client.get(path)
                #expect(response.status == 404, "\(path)")
                #expect(response["Content-Type"] == "application/problem+json")
                #expect(response.problem == "not-found")
                #expect(response["X-Request-Id"].map { "urn:uuid:" + $0 } == response.json?["instance"]?.string)
            }
        }
    }

    @Test(arguments: ["/words/%zz", "/words/%4", "/words/%ff", "/words/%00", "/things/7"])
    func invalidParametersAreNotFound(path: String) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            // Sent raw, because an HTTP client would normalize the path.
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return await raw.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 404"))
            #expect(response.contains("/problems/not-found"))
        }
    }

    @Test func encodedParametersAreDecodedOnce() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ async throws in
            #expect(try await client.get("/words/a%2Fb%2525%EA%B0%80").json == .string("a/b%25가"))
        }
    }

    @Test func literalsPrecedeParameters() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ async throws in
            #expect(try await client.get("/things/latest").json == .string("latest"))
        }
    }

    @Test func unsupportedMethodsReturn405WithAllowedMethods() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            for method in ["DELETE", "PATCH", "TRACE", "POST"] {
                let response = try await client.send(method, "/things/\(SampleAPI.accountID)")
                #expect(response.status == 405)
                #expect(response["Allow"] == "GET, HEAD, OPTIONS, PUT")
                #expect(response.problem == "method-not-allowed")
            }
            let options = try await client.send("OPTIONS", "/list")
            #expect(options.status == 204)
            #expect(options["Allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test func headRespondsLikeGetWithoutABody() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let head = try await client.send("HEAD", "/things/latest")
            let get = try await client.get("/things/latest")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head["Content-Length"] == get["Content-Length"])
            #expect(try await client.send("HEAD", "/broken").status == 500)
        }
    }

    @Test func headOfAStreamLeavesTheConnectionUsable() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let responses = try await RawConnection.open(port: client.port) { raw in
                try await raw.send("HEAD /rows.csv HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try await raw.read(until: "\r\n\r\n")
                try await raw.send("GET /things/latest HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return await raw.readToEnd()
            }
            let parts = responses.split(separator: "\r\n\r\n", omittingEmptySubsequences: false)
            #expect(parts.count == 3)
            #expect(parts[0].hasPrefix("HTTP/1.1 200"))
            #expect(parts[1].hasPrefix("HTTP/1.1 200"))
            #expect(parts[2] == "\"latest\"")
        }
    }

    @Test func ambiguousRoutesAreRefused() {
        let handler: Route.Handler = { _ in .noContent }
        #expect(throws: RouteTable.Conflict.self) {
            try RouteTable([
                Route(.get, "/a/{b}", access: .anyone, handler: handler),
                Route(.get, "/a/{c}", access: .anyone, handler: handler),
            ])
        }
    }

    @Test func differencesBetweenDocumentAndRoutesAreReported() throws {
        let document = try OpenAPIDocument.load()
        let table = try RouteTable([
            Route(.get, "/livez", access: .anyone) { _ in .noContent },
            Route(.get, "/readyz", access: .anyone, query: ["deep"]) { _ in .noContent },
            Route(.get, "/nowhere", access: .anyone) { _ in .noContent },
        ])
        let differences = table.differences(document)
        #expect(differences.contains("GET /nowhere is served but not described."))
        #expect(differences.contains("POST /v1/sessions is described but not served."))
        #expect(differences.contains("GET /readyz takes [\"deep\"], but [] are described."))
        #expect(!differences.contains { $0.contains("/livez") })
    }

    @Test func documentListsEveryProblem() throws {
        let document = try OpenAPIDocument.load().value
        let types = document["components"]?["schemas"]?["Problem"]?["properties"]?["type"]?["enum"]?.array
        #expect(types?.compactMap(\.string) == ProblemCode.allCases.map { "/problems/\($0.rawValue)" })
    }

    @Test func documentAsJSONKeepsTheTypesOfScalars() throws {
        let document = try OpenAPIDocument.load().value
        #expect(document["info"]?["version"] == .string("1"))
        let limit = document["components"]?["parameters"]?["Limit"]?["schema"]
        #expect(limit?["maximum"] == JSONValue(200))
        let meeting = document["components"]?["schemas"]?["Meeting"]?["properties"]
        #expect(meeting?["place"]?["type"] == .array([.string("string"), .string("null")]))
        #expect(meeting?["state"]?["enum"]?.array?.last == .null)
        let form = document["components"]?["schemas"]?["FormBody"]?["properties"]
        #expect(form?["anonymous"]?["default"] == .bool(false))
    }
}
