import Contract
import Cryptography
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SigningIn {
    private static func credentials(_ email: String, _ password: String) -> String {
        "{\"email\": \(JSONValue.string(email).text), \"password\": \(JSONValue.string(password).text)}"
    }

    @Test func wrongPasswordAndUnknownAddressGetTheSameResponse() async throws {
        try await TestService.run { service in
            let wrong = try await service.anyone.post("/v1/sessions", json: Self.credentials("host@example.org", "no"))
            let unknown = try await service.anyone.post("/v1/sessions", json: Self.credentials("no@example.org", "no"))
            let malformed = try await service.anyone.post("/v1/sessions", json: Self.credentials("nobody", "no"))
            for response in [wrong, unknown, malformed] {
                #expect(response.status == 401 && response.problem == "invalid-credentials")
                #expect(response["WWW-Authenticate"] == "Bearer")
                #expect(response.json?.members?.map(\.name) == ["type", "title", "status", "detail", "instance"])
                #expect(response.json?["detail"]?.string == "E-mail or password is wrong.")
            }
        }
    }

    @Test func bodyIsValidatedStrictly() async throws {
        try await TestService.run { service in
            let cases: [(String, Int, [String])] = [
                (#"{}"#, 422, ["/email required", "/password required"]),
                (#"{"email": 1, "password": true}"#, 400, ["/email wrong-type", "/password wrong-type"]),
                (#"{"email": "a@b.org", "password": "x", "role": "admin"}"#, 400, ["/role unknown-field"]),
                (#"{"email": "a@b.org", "password": "a\u0000b"}"#, 422, ["/password nul-character"]),
            ]
            for (body, status, faults) in cases {
                let response = try await service.anyone.post("/v1/sessions", json: body)
                #expect(response.status == status && response.faults == faults, "\(body): \(response.text)")
            }
            let surrogate = try await service.anyone.post(
                "/v1/sessions", json: #"{"email": "a@b.org", "password": "\ud800"}"#)
            #expect(surrogate.status == 400 && surrogate.problem == "bad-request")
            let long = Self.credentials("host@example.org", String(repeating: "é", count: 9000))
            #expect(try await service.anyone.post("/v1/sessions", json: long).status == 413)
        }
    }

    @Test func passwordOfTenMegabytesIsRefused() async throws {
        try await TestService.run { service in
            let head = """
                POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                Content-Length: 10485760\r\n\r\n{"password": "
                """
            let response = try await RawConnection.open(port: service.anyone.port) { raw in
                try await raw.send(head + String(repeating: "a", count: 50_000))
                return await raw.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 413") && response.contains("/problems/content-too-large"))
        }
    }

    @Test func endedSessionRevokesItsToken() async throws {
        try await TestService.run { service in
            let body = Self.credentials("host@example.org", TestStore.password)
            let session = try await service.anyone.post("/v1/sessions", json: body).expect(201).decoded(
                as: Session.self)
            let client = service.anyone.bearing(session.token)
            let current = try await client.get("/v1/sessions/current").expect(200).decoded(as: CurrentSession.self)
            #expect(current.account == session.account)
            #expect(abs(current.expiresAt.timeIntervalSince(session.expiresAt)) < 0.001)
            #expect(try await client.delete("/v1/sessions/current").status == 204)
            #expect(try await client.get("/v1/sessions/current").status == 401)
            #expect(try await client.delete("/v1/sessions/current").status == 401)
            #expect(try await service.host.get("/v1/sessions/current").status == 200, "other sessions are not affected")
        }
    }

    @Test func invalidTokenIsRefused() async throws {
        try await TestService.run { service in
            let store = service.fixture.store
            let expired = try await TestService.token(of: service.fixture.host, in: store)
            try await service.sql(
                """
                UPDATE token SET expires_at = now() - interval '1 second'
                WHERE hash = \(SHA256.hash(Array(expired.utf8)))
                """)
            let unknown = "aw_" + String(repeating: "A", count: 43)
            for token in [expired, unknown, "nonsense", "aw_", expired + "x"] {
                let response = try await service.anyone.bearing(token).get("/v1/meetings")
                #expect(response.status == 401 && response["WWW-Authenticate"] == "Bearer", "\(token)")
            }
            for value in ["Bearer", "Bearer a b", "Basic YTpi", "Receipt abc", "Respondent abc"] {
                let response = try await service.anyone.get("/v1/meetings", headers: ["Authorization": value])
                #expect(response.status == 401 || response.status == 400, "\(value)")
                #expect(response.problem != nil, "\(value)")
            }
            #expect(try await service.anyone.get("/v1/meetings").status == 401)
        }
    }

    @Test func disabledAccountLosesAccessAtOnce() async throws {
        try await TestService.run { service in
            try await service.sql("UPDATE account SET disabled_at = now() WHERE email = 'host@example.org'")
            #expect(try await service.host.get("/v1/meetings").status == 401)
            let again = try await service.anyone.post(
                "/v1/sessions", json: Self.credentials("host@example.org", TestStore.password))
            #expect(again.status == 401 && again.problem == "invalid-credentials")
            #expect(try await service.other.get("/v1/meetings").status == 200)
        }
    }
}
