import Foundation
import Testing

@testable import AfterwordClient

/// What calls are made of.
@Suite struct Values {
    @Test func aDeviceKeyIsLongRandomAndReadAgain() throws {
        let key = DeviceKey()
        #expect(key.description.count == 43 && key != DeviceKey())
        #expect(DeviceKey(key.description) == key)
        for text in [
            "", "a", String(repeating: "a", count: 31), String(repeating: "a", count: 129), "ä" + key.description,
        ] {
            #expect(DeviceKey(text) == nil)
        }
        let kept = try JSONEncoder().encode([key])
        #expect(try JSONDecoder().decode([DeviceKey].self, from: kept) == [key])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([DeviceKey].self, from: Data(#"["short"]"#.utf8))
        }
    }

    @Test func anIdempotencyKeyIsVisibleASCII() {
        #expect(IdempotencyKey("0123456789abcdef") != nil && IdempotencyKey(IdempotencyKey().description) != nil)
        #expect(IdempotencyKey("short") == nil && IdempotencyKey("0123456789abcde ") == nil)
        #expect(IdempotencyKey(String(repeating: "k", count: 256)) == nil)
    }

    @Test func aPathTakesItsParametersEncoded() {
        let endpoint = Endpoint("GET", "/v1/meetings/{id}/results/{key}/answers")
        #expect(endpoint.path(["a/b", "ä?"]) == "/v1/meetings/a%2Fb/results/%C3%A4%3F/answers")
    }

    @Test func anAnswerIsALiteral() {
        let answers: [String: Answer] = [
            "a": 4, "b": "text", "c": ["x", .other("y")], "d": nil, "e": .option("o"), "f": .several(["x"]),
        ]
        let texts = answers.mapValues(\.json.text)
        #expect(
            texts == [
                "a": "4", "b": "\"text\"", "c": #"["x",{"other":"y"}]"#, "d": "null", "e": "\"o\"", "f": #"["x"]"#,
            ])
    }

    @Test func anAnswerThatIsNoProblemOfTheServiceIsUnexpected() async throws {
        for (status, body) in [(500, "<html>"), (404, "{}"), (302, ""), (200, "[]"), (200, "{\"code\": 1}")] {
            let transport = ScriptedTransport([.answer(status, body: body)])
            let afterword = Afterword(url: "http://test/", transport: transport, retries: .none)
            let error = await #expect(throws: AfterwordError.self) { _ = try await afterword.form("c") }
            guard case .unexpected(status, _) = error else { throw try #require(error) }
        }
    }

    @Test func anAnswerWithoutATagIsUnexpected() async throws {
        let body =
            #"{"id": "01020304-0506-0708-090a-0b0c0d0e0fab", "version": 1, "answers": {}, "submittedAt": "2026-11-21T09:30:00Z"}"#
        let id = try #require(ResourceID("01020304-0506-0708-090a-0b0c0d0e0fab"))
        let receipt = SubmissionReceipt(id: id, receipt: "r", submittedAt: Date())
        let transport = ScriptedTransport([.answer(200, body: body)])
        let afterword = Afterword(url: "http://test", transport: transport)
        await #expect(throws: AfterwordError.self) { _ = try await afterword.submission(receipt, of: "c") }
        #expect(transport.requests.first?.headers["Authorization"] == "Receipt r")
    }
}

extension Values {
    @Test func aHostIsPrintedWithoutItsToken() {
        let host = Afterword(url: "http://test").host(token: "aw_secret")
        #expect("\(host)" == "a host at http://test")
    }
}
