import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct OwnProfile {
    static func edit(
        _ client: HTTPTestClient, _ json: String, match: String = "*"
    ) async throws -> HTTPTestClient.Response {
        try await client.send("PATCH", "/v1/me", body: Array(json.utf8), headers: ["If-Match": match])
    }

    private static func signIn(_ service: TestService, _ password: String) async throws -> HTTPTestClient.Response {
        try await service.anyone.post(
            "/v1/sessions", json: "{\"email\": \"host@example.org\", \"password\": \"\(password)\"}")
    }

    @Test func onlyGivenMembersChangeAndNullClears() async throws {
        try await TestService.run { service in
            try await Self.edit(service.host, #"{"locale": "pt-BR", "timeZone": "America/Sao_Paulo"}"#).expect(200)
            let renamed = try await Self.edit(service.host, #"{"name": "  Hanna Neu "}"#).expect(200)
            #expect(try renamed.string("name") == "Hanna Neu")
            #expect(try renamed.string("locale") == "pt-BR" && renamed.string("timeZone") == "America/Sao_Paulo")
            let cleared = try await Self.edit(service.host, #"{"locale": null, "timeZone": null}"#).expect(200)
            #expect(cleared.json?["locale"] == .null && cleared.json?["timeZone"] == .null)
            let read = try await service.host.get("/v1/me").expect(200)
            #expect(read.json == cleared.json && read["ETag"] == cleared["ETag"])
            #expect(
                read.json?.members?.map(\.name)
                    == [
                        "id", "email", "name", "role", "locale", "timeZone", "picture", "createdAt", "mailsAtClose",
                        "weeklyDigest",
                    ])
        }
    }

    @Test func resultsAreMailedOnRequestOnly() async throws {
        try await TestService.run { service in
            let before = try await service.host.get("/v1/me").expect(200)
            #expect(before.json?["mailsAtClose"] == .bool(false))
            let on = try await Self.edit(service.host, #"{"mailsAtClose": true}"#).expect(200)
            #expect(on.json?["mailsAtClose"] == .bool(true))
            for unchanged in [#"{"name": "Hanna"}"#, #"{"mailsAtClose": null}"#] {
                let edited = try await Self.edit(service.host, unchanged).expect(200)
                #expect(edited.json?["mailsAtClose"] == .bool(true))
            }
            try await Self.edit(service.host, #"{"mailsAtClose": "yes"}"#).expect(400)
            #expect(try await service.other.get("/v1/me").json?["mailsAtClose"] == .bool(false))
            let data = try await service.host.get("/v1/me/data").expect(200)
            #expect(data.json?["account"]?["mailsAtClose"] == .bool(true))
        }
    }

    @Test func profileIsNotCached() async throws {
        try await TestService.run { service in
            let read = try await service.host.get("/v1/me").expect(200)
            let tag = try #require(read["ETag"])
            let edited = try await Self.edit(service.host, #"{"name": "Hanna"}"#, match: tag).expect(200)
            let newTag = try #require(edited["ETag"])
            let current = try await service.host.get("/v1/me", headers: ["If-None-Match": newTag]).expect(304)
            #expect([read, edited, current].map { $0["Cache-Control"] } == ["no-store", "no-store", "no-store"])
            #expect(try await Self.edit(service.host, #"{"name": "H"}"#, match: tag).status == 412)
        }
    }

    @Test func onlyOneEditOfTheSameRevisionSucceeds() async throws {
        try await TestService.run { service in
            let tag = try #require(try await service.host.get("/v1/me").expect(200)["ETag"])
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try await Self.edit(service.host, "{\"name\": \"Name \(number)\"}", match: tag).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 412, count: 9))
            let unconditional = try await service.host.send("PATCH", "/v1/me", body: Array("{}".utf8))
            #expect(unconditional.status == 428)
        }
    }

    @Test func allFaultsAreReportedTogether() async throws {
        try await TestService.run { service in
            let cases: [(String, Int, [String])] = [
                (
                    #"{"name": " ", "locale": "x", "picture": "a.png", "password": "short"}"#, 422,
                    [
                        "/name required", "/locale invalid-locale", "/picture unknown-value", "/password too-short",
                        "/oldPassword required",
                    ]
                ),
                (#"{"password": "1234567890", "oldPassword": "x"}"#, 422, ["/password common-password"]),
                (#"{"password": "HOST@example.org", "oldPassword": "x"}"#, 422, ["/password own-address"]),
                (#"{"password": "          ", "oldPassword": "x"}"#, 422, ["/password blank"]),
                (#"{"name": null}"#, 422, ["/name required"]),
                (#"{"name": "a\r\nBcc: all@example.org"}"#, 422, ["/name control-character"]),
                (#"{"timeZone": "Mars/Phobos"}"#, 422, ["/timeZone unknown-time-zone"]),
                (#"{"email": "new@example.org"}"#, 400, ["/email unknown-field"]),
                (#"{"role": "admin"}"#, 400, ["/role unknown-field"]),
                (
                    "{\"password\": \"\(String(repeating: "p", count: 1025))\", \"oldPassword\": \"x\"}", 422,
                    ["/password too-long"]
                ),
            ]
            for (body, status, faults) in cases {
                let response = try await Self.edit(service.host, body)
                #expect(response.status == status && response.faults == faults, "\(body): \(response.text)")
            }
            let large = "{\"password\": \"\(String(repeating: "p", count: 20_000))\"}"
            #expect(try await Self.edit(service.host, large).status == 413)
        }
    }

    @Test func newPasswordRequiresTheOldOneAndEndsEveryOtherSession() async throws {
        try await TestService.run { service in
            let elsewhere = service.anyone.bearing(try await Self.signIn(service, TestStore.password).string("token"))
            let token = try await APITokens.make(service.host)
            let wrong = try await Self.edit(
                service.host, #"{"password": "an even better one", "oldPassword": "not this"}"#)
            #expect(wrong.status == 422 && wrong.faults == ["/oldPassword wrong-password"])
            #expect(try await elsewhere.get("/v1/me").status == 200)
            try await Self.edit(
                service.host, "{\"password\": \"an even better one\", \"oldPassword\": \"\(TestStore.password)\"}"
            ).expect(200)
            #expect(try await service.host.get("/v1/me").status == 200)
            #expect(try await elsewhere.get("/v1/me").status == 401)
            #expect(try await service.anyone.bearing(token).get("/v1/me").status == 401)
            #expect(try await service.other.get("/v1/me").status == 200, "other accounts are not affected")
            #expect(try await Self.signIn(service, TestStore.password).status == 401)
            #expect(try await Self.signIn(service, "an even better one").status == 201)
        }
    }

    @Test func atMostTenConcurrentPasswordGuessesAreEvaluated() async throws {
        try await TestService.run { service in
            let body = #"{"password": "an even better one", "oldPassword": "guess"}"#
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<25 { group.addTask { try await Self.edit(service.host, body).status } }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [422: 10, 429: 15])
        }
    }

    @Test func guessesOfTheOldPasswordAreLimited() async throws {
        try await TestService.run { service in
            let body = #"{"password": "an even better one", "oldPassword": "guess"}"#
            for _ in 0..<10 { #expect(try await Self.edit(service.host, body).status == 422) }
            let right = "{\"password\": \"an even better one\", \"oldPassword\": \"\(TestStore.password)\"}"
            let refused = try await Self.edit(service.host, right)
            #expect(refused.status == 429 && refused["Retry-After"] != nil)
            #expect(try await Self.edit(service.other, right).status == 200, "each account has its own limit")
        }
    }
}
