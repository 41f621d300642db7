import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SessionsAndTokens {
    @Test func onlyTheOwnerListsAndEndsSessions() async throws {
        try await TestService.run { service in
            let store = service.fixture.store
            let second = service.anyone.bearing(try await TestService.token(of: service.fixture.host, in: store))
            let ended = try await TestService.token(of: service.fixture.host, in: store)
            try await service.anyone.bearing(ended).delete("/v1/sessions/current").expect(204)
            let items = try #require(try await second.get("/v1/sessions").expect(200).json?["items"]?.array)
            // The session of the fixture, that of `service.host`, and the second one.
            #expect(items.count == 3 && items.count { $0["current"]?.bool == true } == 1)
            let mine = try #require(items.first { $0["current"]?.bool == true }?["id"]?.string)
            #expect(try await service.other.delete("/v1/sessions/\(mine)").status == 404)
            #expect(try await service.admin.delete("/v1/sessions/\(mine)").status == 404)
            try await service.host.delete("/v1/sessions/\(mine)").expect(204)
            #expect(try await second.get("/v1/me").status == 401)
            #expect(try await service.host.delete("/v1/sessions/\(mine)").status == 404)
            #expect(try await service.host.delete("/v1/sessions/nonsense").status == 404)
        }
    }

    @Test func listsArePaged() async throws {
        try await TestService.run { service in
            for number in 0..<7 {
                try await service.host.post(
                    "/v1/tokens", json: APITokens.body(["meetings:read"], name: "Token \(number)")
                ).expect(201)
            }
            var names: [String] = []
            var cursor: String?
            repeat {
                let suffix = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await service.host.get("/v1/tokens?limit=3\(suffix)").expect(200)
                names += (page.json?["items"]?.array ?? []).compactMap { $0["name"]?.string }
                cursor = page.json?["next"]?.string
            } while cursor != nil
            #expect(names.sorted() == (0..<7).map { "Token \($0)" })
            let nextCursor = try await service.host.get("/v1/sessions").expect(200).json?["next"]
            #expect(nextCursor == .null)
            #expect(try await service.host.get("/v1/tokens?cursor=abc").faults == ["?cursor invalid-cursor"])
        }
    }

    @Test func tokenIsLimitedToItsScopes() async throws {
        try await TestService.run { service in
            let reader = service.anyone.bearing(try await APITokens.make(service.host))
            #expect(try await reader.get("/v1/meetings").status == 200)
            #expect(try await reader.post("/v1/meetings", json: #"{"title": "A"}"#).status == 403)
            #expect(try await reader.get("/v1/me").status == 200)
            // The token cannot list sessions or tokens, create a token, or change the account.
            let paths = ["/v1/tokens", "/v1/sessions"]
            for path in paths { #expect(try await reader.get(path).status == 403, "\(path)") }
            #expect(try await reader.post("/v1/tokens", json: APITokens.body(["meetings:read"])).status == 403)
            #expect(try await OwnProfile.edit(reader, #"{"name": "B"}"#).status == 403)
        }
    }

    @Test func adminTokenWithoutTheAdminScopeHasAHostsAccess() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let scopes = ["meetings:read", "meetings:write", "results:read", "export:read"]
            let plain = service.anyone.bearing(try await APITokens.make(service.admin, scopes))
            let paths = [
                "/v1/admin/accounts", "/v1/admin/audit", "/v1/admin/storage", "/v1/invitations",
                "/v1/admin/export/summary.csv",
            ]
            for path in paths {
                #expect(try await plain.get(path).status == 403, "\(path)")
            }
            #expect(try await plain.get(meeting.path).status == 404)
            let adminToken = service.anyone.bearing(
                try await APITokens.make(service.admin, ["admin", "meetings:read"]))
            #expect(try await adminToken.get("/v1/admin/accounts").status == 200)
            #expect(try await adminToken.get(meeting.path).status == 200)
        }
    }

    @Test func invalidTokenRequestsAreRefused() async throws {
        try await TestService.run { service in
            let validExpiry = RFC3339.format(.now + 86_400)
            let cases: [(String, Int, [String])] = [
                ("{}", 422, ["/name required", "/scopes required", "/expiresAt required"]),
                (APITokens.body([]), 422, ["/scopes required"]),
                (APITokens.body(["everything"]), 422, ["/scopes/0 unknown-value"]),
                (APITokens.body(["admin"]), 422, ["/scopes scope-not-yours"]),
                (APITokens.body(["meetings:read"], expires: .now - 60), 422, ["/expiresAt in-the-past"]),
                (APITokens.body(["meetings:read"], expires: .now + 6 * 366 * 86_400), 422, ["/expiresAt too-late"]),
                (APITokens.body(["meetings:read"], name: String(repeating: "n", count: 101)), 422, ["/name too-long"]),
                (APITokens.body(["meetings:read"], name: " "), 422, ["/name required"]),
                (
                    "{\"name\": \"A\", \"scopes\": [1], \"expiresAt\": \"\(validExpiry)\"}", 400,
                    ["/scopes/0 wrong-type"]
                ),
            ]
            for (body, status, faults) in cases {
                let response = try await service.host.post("/v1/tokens", json: body)
                #expect(response.status == status && response.faults == faults, "\(body): \(response.text)")
            }
            #expect(try await service.host.get("/v1/tokens").json?["items"]?.array?.isEmpty == true)
        }
    }

    @Test func replayOmitsTheSecret() async throws {
        try await TestService.run { service in
            let (body, key) = (APITokens.body(["meetings:read"]), ["Idempotency-Key": "once"])
            let first = try await service.host.post("/v1/tokens", json: body, headers: key).expect(201)
            let secret = try first.string("token")
            let again = try await service.host.post("/v1/tokens", json: body, headers: key).expect(201)
            #expect(again["Idempotency-Replayed"] == "true" && again.json?["token"] == nil)
            #expect(again.json?["id"] == first.json?["id"])
            let rows = try await service.fixture.store.pool.query(
                "SELECT count(*) FROM idempotency WHERE position(\(Array(secret.utf8)) in response) > 0")
            #expect(try rows.first?.decode(Int.self) == 0, "the stored response does not contain the secret")
            let client = service.anyone.bearing(secret)
            #expect(try await client.get("/v1/meetings").status == 200)
            try await service.host.delete("/v1/tokens/\(try first.string("id"))").expect(204)
            #expect(try await client.get("/v1/meetings").status == 401)
        }
    }

    @Test func creatingATokenRequiresARecentSession() async throws {
        try await TestService.run { service in
            let body = APITokens.body(["meetings:read", "meetings:write"])
            let second = service.anyone.bearing(
                try await TestService.token(of: service.fixture.host, in: service.fixture.store))
            try await service.fixture.ageSessions(seconds: 890)
            let token = service.anyone.bearing(
                try await service.host.post("/v1/tokens", json: body).expect(201).string("token"))
            try await service.fixture.ageSessions()
            #expect(try await service.host.post("/v1/tokens", json: body).requiresConfirmation)
            // Actions that are not dangerous need no confirmation.
            try await service.host.get("/v1/tokens").expect(200)
            try await OwnProfile.edit(service.host, #"{"name": "Hanna"}"#).expect(200)
            try await token.post("/v1/meetings", json: #"{"title": "By a program"}"#).expect(201)
            try await service.host.confirmed().post("/v1/tokens", json: body).expect(201)
            #expect(
                try await second.post("/v1/tokens", json: body).requiresConfirmation,
                "a confirmation is for one session")
            let fresh = service.anyone.bearing(
                try await service.signIn("host@example.org", TestStore.password).expect(201).string("token"))
            try await fresh.post("/v1/tokens", json: body).expect(201)
        }
    }

    @Test func endingAnotherSessionRequiresARecentSession() async throws {
        try await TestService.run { service in
            let store = service.fixture.store
            let second = service.anyone.bearing(try await TestService.token(of: service.fixture.host, in: store))
            let items = try #require(try await second.get("/v1/sessions").expect(200).json?["items"]?.array)
            let mine = try #require(items.first { $0["current"]?.bool == true }?["id"]?.string)
            try await service.fixture.ageSessions()
            #expect(try await service.host.delete("/v1/sessions/\(mine)").requiresConfirmation)
            try await second.get("/v1/me").expect(200)
            try await second.delete("/v1/sessions/\(mine)").expect(204)
            let other = try await TestService.token(of: service.fixture.host, in: store)
            try await service.fixture.ageSessions()
            let id = try await service.anyone.bearing(other).get("/v1/sessions").expect(200).json?["items"]?.array?
                .first { $0["current"]?.bool == true }?["id"]?.string
            try await service.host.confirmed().delete("/v1/sessions/\(try #require(id))").expect(204)
            #expect(try await service.anyone.bearing(other).get("/v1/me").status == 401)
        }
    }

    @Test func onlyASessionCanBeConfirmed() async throws {
        try await TestService.run { service in
            let token = service.anyone.bearing(try await APITokens.make(service.host))
            let refused = try await token.confirmSession()
            #expect(refused.status == 403 && refused.problem == "forbidden")
            #expect(try await service.anyone.confirmSession().status == 401)
            for (body, status, fault) in [
                ("{}", 422, "/password required"), (#"{"password": 1}"#, 400, "/password wrong-type"),
                (#"{"password": ""}"#, 422, "/password wrong-password"),
                (#"{"password": "x", "email": "y"}"#, 400, "/email unknown-field"),
            ] {
                let response = try await service.host.put("/v1/sessions/current", json: body)
                #expect(response.status == status && response.faults == [fault], "\(response.text)")
            }
        }
    }

    /// Wrong passwords count towards one limit, whichever request of the account contains them.
    @Test func passwordGuessesInConfirmationsAreLimited() async throws {
        try await TestService.run { service in
            try await service.fixture.ageSessions()
            let change = #"{"password": "an even better one", "oldPassword": "guess"}"#
            for _ in 0..<5 {
                let guess = try await service.host.confirmSession("guess")
                #expect(guess.status == 422 && guess.faults == ["/password wrong-password"])
                #expect(try await OwnProfile.edit(service.host, change).status == 422)
            }
            let right = try await service.host.confirmSession()
            #expect(right.status == 429 && right["Retry-After"] != nil)
            #expect(try await OwnProfile.edit(service.host, change).status == 429)
            #expect(try await service.host.post("/v1/tokens", json: APITokens.body(["meetings:read"])).status == 403)
            #expect(try await service.other.confirmSession().status == 200, "each account has its own limit")
        }
    }

    @Test func confirmationIsRefusedIfPasswordChangedOrSessionEndedMeanwhile() async throws {
        try await TestService.run { service in
            let (store, host) = (service.fixture.store, service.fixture.host)
            try await service.fixture.ageSessions()
            let changed = try await problem {
                _ = try await store.tokens.confirm(host, token: "aw_x.y", passwordHash: "another hash")
            }
            #expect(changed?.faults.map(\.code) == ["wrong-password"])
            let hash = try #require(try await store.profiles.passwordHash(of: host.account.id))
            try await store.tokens.revoke(host.tokenID)
            let ended = try await problem {
                _ = try await store.tokens.confirm(host, token: "aw_x.y", passwordHash: hash)
            }
            #expect(ended?.code == .unauthorized)
            #expect(try await service.number("SELECT count(*) FROM token WHERE confirmed_at > created_at") == 0)
        }
    }
}
