import Foundation
import Testing

@testable import AfterwordClient

/// Values that the client's calls accept and return.
@Suite struct ClientValues {
    @Test func deviceKeyIsLongRandomAndDecodable() throws {
        let key = DeviceKey()
        #expect(key.description.count == 43 && key != DeviceKey())
        #expect(DeviceKey(key.description) == key)
        for text in [
            "", "a", String(repeating: "a", count: 31), String(repeating: "a", count: 129), "ä" + key.description,
        ] {
            #expect(DeviceKey(text) == nil)
        }
        let encoded = try JSONEncoder().encode([key])
        #expect(try JSONDecoder().decode([DeviceKey].self, from: encoded) == [key])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([DeviceKey].self, from: Data(#"["short"]"#.utf8))
        }
    }

    @Test func idempotencyKeyIsVisibleASCII() {
        #expect(IdempotencyKey("0123456789abcdef") != nil && IdempotencyKey(IdempotencyKey().description) != nil)
        #expect(IdempotencyKey("short") == nil && IdempotencyKey("0123456789abcde ") == nil)
        #expect(IdempotencyKey(String(repeating: "k", count: 256)) == nil)
    }

    @Test func idempotencyKeyIsEncodedAsItsText() throws {
        let key = IdempotencyKey()
        let encoded = try JSONEncoder().encode([key])
        #expect(String(decoding: encoded, as: UTF8.self) == "[\"\(key)\"]")
        #expect(try JSONDecoder().decode([IdempotencyKey].self, from: encoded) == [key])
        for text in [#"["short"]"#, #"["0123456789abcdef\r\nX: y"]"#, #"[{"description": "0123456789abcdef"}]"#] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([IdempotencyKey].self, from: Data(text.utf8))
            }
        }
    }

    @Test func pathParametersArePercentEncoded() throws {
        let endpoint = Endpoint("GET", "/v1/meetings/{id}/results/{key}/answers")
        #expect(try endpoint.path(["a/b", "ä?"]) == "/v1/meetings/a%2Fb/results/%C3%A4%3F/answers")
    }

    @Test(arguments: ["", ".", ".."])
    func codesThatWouldChangeThePathAreNotSent(code: String) async throws {
        let transport = ScriptedTransport([])
        let afterword = Afterword(url: "http://test", transport: transport)
        for call: () async throws -> Void in [
            { _ = try await afterword.form(code) },
            { try await afterword.submit(["pace": 4], to: code) },
            { _ = try await afterword.sharedTexts("token", question: code).first(1) },
            { for try await _ in afterword.liveResults(of: code) {} },
        ] {
            do {
                try await call()
                Issue.record("\(code) was sent")
            } catch AfterwordError.invalidRequest {}
        }
        #expect(transport.requests.isEmpty)
        #expect(try Endpoint("GET", "/v1/forms/{code}").path(["..."]) == "/v1/forms/...")
    }

    @Test func tokensInvalidInAHeaderAreRefusedWithoutBeingQuoted() async throws {
        let transport = ScriptedTransport([])
        for token in ["aw_secret\n", "aw_ secret", "", "aw_secret\r\nX: y", "aw_sécret"] {
            let host = Afterword(url: "http://test", transport: transport).host(token: token)
            let error = await #expect(throws: AfterwordError.self) { _ = try await host.me() }
            guard case .invalidRequest(let reason) = error else { throw try #require(error) }
            #expect(!reason.contains("secret"))
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func addressWithoutASchemeIsRefused() async throws {
        let transport = ScriptedTransport([])
        let error = await #expect(throws: AfterwordError.self) {
            _ = try await Afterword(url: "feedback.example.org", transport: transport).form("code")
        }
        guard case .invalidRequest(let reason) = error else { throw try #require(error) }
        #expect(reason.contains("https://") && transport.requests.isEmpty)
    }

    @Test func bytesAreChunkedByLine() async throws {
        let text = "event: a\ndata: 1\n\n" + String(repeating: "x", count: 40_000) + "\nend"
        let bytes = AsyncStream { continuation in
            for byte in text.utf8 { continuation.yield(byte) }
            continuation.finish()
        }
        var chunks: [[UInt8]] = []
        for try await chunk in ByteLines(base: bytes) { chunks.append(chunk) }
        #expect(chunks.map(\.count) == [9, 8, 1, 16_384, 16_384, 7_233, 3])
        #expect(chunks.flatMap { $0 } == Array(text.utf8))
    }

    @Test func answersCanBeLiterals() throws {
        let answers: [String: Answer] = [
            "a": 4, "b": "text", "c": ["x", .other("y")], "d": nil, "e": .option("o"), "f": .several(["x"]),
        ]
        let texts = answers.mapValues(\.json.text)
        let encoded = try JSONEncoder().encode(answers)
        #expect(try JSONDecoder().decode([String: Answer].self, from: encoded) == answers)
        #expect(
            texts == [
                "a": "4", "b": "\"text\"", "c": #"["x",{"other":"y"}]"#, "d": "null", "e": "\"o\"", "f": #"["x"]"#,
            ])
    }

    @Test func responseThatIsNotAProblemIsUnexpected() async throws {
        for (status, body) in [(500, "<html>"), (404, "{}"), (302, ""), (200, "[]"), (200, "{\"code\": 1}")] {
            let transport = ScriptedTransport([.response(status, body: body)])
            let afterword = Afterword(url: "http://test/", transport: transport, retries: .none)
            let error = await #expect(throws: AfterwordError.self) { _ = try await afterword.form("c") }
            guard case .unexpected(status, _) = error else { throw try #require(error) }
        }
    }

    @Test func responseWithoutATagIsUnexpected() async throws {
        let body =
            #"{"id": "01020304-0506-0708-090a-0b0c0d0e0fab", "version": 1, "answers": {}, "submittedAt": "2026-11-21T09:30:00Z"}"#
        let id = try #require(ResourceID("01020304-0506-0708-090a-0b0c0d0e0fab"))
        let receipt = SubmissionReceipt(id: id, receipt: "r", submittedAt: Date())
        let transport = ScriptedTransport([.response(200, body: body)])
        let afterword = Afterword(url: "http://test", transport: transport)
        await #expect(throws: AfterwordError.self) { _ = try await afterword.submission(receipt, of: "c") }
        #expect(transport.requests.first?.headers["Authorization"] == "Receipt r")
    }
}

extension ClientValues {
    private func printed(_ value: Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        return text
    }

    @Test func descriptionOfAHostOmitsItsToken() {
        let host = Afterword(url: "http://test").host(token: "aw_secret")
        #expect("\(host)" == "a host at http://test")
        #expect(host.token == "aw_secret" && !printed(host).contains("secret"))
    }

    @Test func descriptionOfAClientOmitsItsTransport() {
        let afterword = Afterword(url: "http://test", transport: ScriptedTransport([]))
        for text in [printed(afterword), printed(afterword.host(token: "aw_secret"))] {
            #expect(text.contains("http://test") && !text.contains("ScriptedTransport"))
        }
    }

    @Test func secretsShownOnceAreNotPrinted() async throws {
        let (id, now) = (try #require(ResourceID("01020304-0506-0708-090a-0b0c0d0e0fab")), Date())
        let account = AccountBody(id: id, email: "a@example.org", name: "A", role: "host")
        let session = Session(token: "secret", expiresAt: now, account: account)
        let values: [any Codable] = [
            session, SubmissionReceipt(id: id, receipt: "secret", submittedAt: now),
            Share(
                id: id, createdAt: now, expiresAt: now, createdBy: .init(id: id, name: "A"), token: "secret",
                url: "http://test/r/secret"),
            LiveTicket(ticket: "secret", expiresAt: now), PersonalLink(url: "http://test/f/c#secret", token: "secret"),
            APIToken(id: id, name: "A", scopes: [], createdAt: now, expiresAt: now, token: "secret"),
            Webhook(
                id: id, url: "http://test", events: [], createdAt: now, lastSuccessAt: nil, failing: false,
                failingSince: nil, secret: "secret"),
        ]
        for value in values {
            #expect(!printed(value).contains("secret\"") && !printed(value).contains("/secret"), "\(printed(value))")
            #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self).contains("secret\""))
        }
        let body = String(decoding: try ContractCoding.encode(session), as: UTF8.self)
        let host = try await Afterword(url: "http://test", transport: ScriptedTransport([.response(201, body: body)]))
            .signIn(email: "a@example.org", password: "x")
        #expect(host.session?.token == "secret" && !printed(host).contains("secret"))
    }

    @Test func secretThatIsNotShownAgainIsNilAndOmitted() throws {
        let text =
            #"{"id":"01020304-0506-0708-090a-0b0c0d0e0fab","name":null,"createdAt":"2026-11-21T09:30:00Z","#
            + #""expiresAt":"2026-11-21T09:30:00Z","#
            + #""createdBy":{"id":"01020304-0506-0708-090a-0b0c0d0e0fac","name":"A"}}"#
        let share = try ContractCoding.decoder().decode(Share.self, from: Data(text.utf8))
        #expect(share.token == nil && share.url == nil)
        #expect(String(decoding: try ContractCoding.encode(share), as: UTF8.self) == text)
    }
}
