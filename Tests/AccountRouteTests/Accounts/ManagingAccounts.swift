import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ManagingAccounts {
    static func change(
        _ client: HTTPTestClient, _ id: UUID, _ json: String, match: String = "*"
    ) async throws -> HTTPTestClient.Response {
        try await client.send(
            "PATCH", "/v1/admin/accounts/\(id)", body: Array(json.utf8), headers: ["If-Match": match])
    }

    @Test func accountsAreFilteredByQueryAndState() async throws {
        try await TestService.run { service in
            func emails(_ query: String) async throws -> [String] {
                let response = try await service.admin.get("/v1/admin/accounts?\(query)").expect(200)
                return (response.json?["items"]?.array ?? []).compactMap { $0["email"]?.string }
            }
            #expect(try await emails("") == ["admin@example.org", "host@example.org", "other@example.org"])
            #expect(try await emails("q=OTHER@") == ["other@example.org"])
            #expect(try await emails("q=hanna") == ["host@example.org"])
            #expect(try await emails("q=%25") == [], "the query is not a pattern")
            try await service.sql("UPDATE account SET disabled_at = now() WHERE email = 'other@example.org'")
            #expect(try await emails("state=disabled") == ["other@example.org"])
            #expect(try await emails("state=active") == ["admin@example.org", "host@example.org"])
            let first = try await service.admin.get("/v1/admin/accounts?limit=2").expect(200)
            let cursor = try #require(first.json?["next"]?.string)
            #expect(try await emails("limit=2&cursor=\(cursor)") == ["other@example.org"])
        }
    }

    @Test func disabledAccountLosesItsSessionsAndTokensAtOnce() async throws {
        try await TestService.run { service in
            let id = service.fixture.host.account.id
            let token = try await APITokens.make(service.host)
            let done = try await Self.change(service.admin, id, #"{"disabled": true}"#).expect(200)
            #expect(done.json?["disabledAt"]?.string != nil)
            #expect(try await service.host.get("/v1/me").status == 401)
            #expect(try await service.anyone.bearing(token).get("/v1/me").status == 401)
            try await Self.change(service.admin, id, #"{"disabled": false}"#).expect(200)
            #expect(try await service.host.get("/v1/me").status == 401, "its sessions have ended")
        }
    }

    @Test func staleAndInvalidEditsAreRefused() async throws {
        try await TestService.run { service in
            let id = service.fixture.host.account.id
            let read = try await service.admin.get("/v1/admin/accounts/\(id)").expect(200)
            let tag = try #require(read["ETag"])
            let changed = try await Self.change(service.admin, id, #"{"role": "admin"}"#, match: tag).expect(200)
            for response in [read, changed] { #expect(response["Cache-Control"] == "no-store") }
            #expect(try await Self.change(service.admin, id, #"{"role": "host"}"#, match: tag).status == 412)
            let unconditional = try await service.admin.send(
                "PATCH", "/v1/admin/accounts/\(id)", body: Array(#"{"role": "host"}"#.utf8))
            #expect(unconditional.status == 428)
            let cases: [(String, Int, [String])] = [
                (#"{"role": "owner"}"#, 422, ["/role unknown-value"]),
                (#"{"role": null, "disabled": null}"#, 422, ["/role required", "/disabled required"]),
                (#"{"disabled": "yes", "name": "B"}"#, 400, ["/disabled wrong-type", "/name unknown-field"]),
            ]
            for (body, status, faults) in cases {
                let response = try await Self.change(service.admin, id, body)
                #expect(response.status == status && response.faults == faults, "\(body): \(response.text)")
            }
            #expect(try await Self.change(service.admin, UUID(), #"{"disabled": true}"#).status == 404)
        }
    }

    @Test func lastAdminCannotBeDemotedOrDisabled() async throws {
        try await TestService.run { service in
            let id = service.fixture.admin.account.id
            for body in [#"{"role": "host"}"#, #"{"disabled": true}"#] {
                let response = try await Self.change(service.admin, id, body)
                #expect(response.status == 409 && response.problem == "last-admin", "\(body)")
            }
            // A disabled admin is not counted as another admin.
            let other = try await TestStore.account("b@example.org", "B", .admin, in: service.fixture.store)
            try await Self.change(service.admin, other.account.id, #"{"disabled": true}"#).expect(200)
            #expect(try await Self.change(service.admin, id, #"{"role": "host"}"#).status == 409)
        }
    }

    @Test func adminsDemotingEachOtherLeaveOneAdmin() async throws {
        try await TestService.run { service in
            let store = service.fixture.store
            let first = service.fixture.admin
            let second = try await TestStore.account("b@example.org", "B", .admin, in: store)
            for round in 0..<10 {
                try await service.sql(
                    "UPDATE account SET role = 'admin' WHERE id IN (\(first.account.id), \(second.account.id))")
                let clients = [
                    service.anyone.bearing(try await TestService.token(of: first, in: store)),
                    service.anyone.bearing(try await TestService.token(of: second, in: store)),
                ]
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for (client, target) in zip(clients, [second, first]) {
                        group.addTask { try await Self.change(client, target.account.id, #"{"role": "host"}"#).status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                // The second request is refused because its target is the last admin, or because its sender is no
                // longer an admin.
                #expect(statuses.contains(200) && statuses.contains { $0 == 409 || $0 == 403 }, "\(round): \(statuses)")
                let admins = try await store.pool.query("SELECT count(*) FROM account WHERE role = 'admin'")
                #expect(try admins.first?.decode(Int.self) == 1, "\(round)")
            }
        }
    }

    @Test func invitationCodeIsShownOnceAndNotStored() async throws {
        try await TestService.run { service in
            let body = #"{"email": "new@example.org", "note": "spring term"}"#
            let key = ["Idempotency-Key": "once"]
            let created = try await service.admin.post("/v1/invitations", json: body, headers: key).expect(201)
            let code = try created.string("code")
            #expect(code.count == 26 && created.json?["state"]?.string == "open")
            let again = try await service.admin.post("/v1/invitations", json: body, headers: key).expect(201)
            #expect(again.json?["code"] == nil && again["Idempotency-Replayed"] == "true")
            let mails = try await service.number(
                """
                SELECT count(*) FROM outbox WHERE recipient = 'new@example.org' AND strpos(body, \(code)) > 0
                    AND strpos(body, 'spring term') = 0
                """)
            #expect(mails == 1)
            let days = try #require(RFC3339.parse(try created.string("expiresAt"))).timeIntervalSinceNow / 86_400
            #expect(abs(days - 14) < 0.01)
            let rows = try await service.fixture.store.pool.query(
                """
                SELECT count(*) FROM invitation WHERE hash = sha256(convert_to(\(code), 'UTF8'))
                    AND strpos(invitation::text, \(code)) = 0
                """)
            #expect(try rows.first?.decode(Int.self) == 1)
            try await service.sql("UPDATE invitation SET expires_at = now()")
            let listed = try await service.admin.get("/v1/invitations").expect(200).json?["items"]?[0]
            #expect(listed?["state"]?.string == "expired" && listed?["code"] == nil)
            try await service.admin.delete("/v1/invitations/\(try created.string("id"))").expect(204)
            #expect(try await service.admin.delete("/v1/invitations/\(try created.string("id"))").status == 404)
        }
    }

    @Test func invalidInvitationsAreRefused() async throws {
        try await TestService.run { service in
            let cases: [(String, Int, [String])] = [
                (#"{"email": "nobody"}"#, 422, ["/email invalid-email"]),
                (#"{"email": "a,b@example.org"}"#, 422, ["/email invalid-email"]),
                (#"{"expiresAt": "2020-01-01T00:00:00Z"}"#, 422, ["/expiresAt in-the-past"]),
                (#"{"expiresAt": "2999-01-01T00:00:00Z"}"#, 422, ["/expiresAt too-late"]),
                ("{\"note\": \"\(String(repeating: "n", count: 301))\"}", 422, ["/note too-long"]),
                (#"{"code": "mine"}"#, 400, ["/code unknown-field"]),
            ]
            for (body, status, faults) in cases {
                let response = try await service.admin.post("/v1/invitations", json: body)
                #expect(response.status == status && response.faults == faults, "\(body): \(response.text)")
            }
        }
    }

    @Test func changingAnAccountRequiresARecentSession() async throws {
        try await TestService.run { service in
            let id = service.fixture.host.account.id
            let program = service.anyone.bearing(try await APITokens.make(service.admin, ["admin"]))
            try await service.fixture.ageSessions()
            for edit in [#"{"role": "admin"}"#, #"{"disabled": true}"#, #"{"disabled": false}"#] {
                #expect(try await Self.change(service.admin, id, edit).requiresConfirmation, "\(edit)")
            }
            let before = try await service.admin.get("/v1/admin/accounts/\(id)").expect(200)
            #expect(before.json?["role"]?.string == "host" && before.json?["disabledAt"]?.string == nil)
            // A token needs no confirmation: the admin's session was recent when the token was created.
            try await Self.change(program, id, #"{"role": "admin"}"#).expect(200)
            let confirmed = try await service.admin.confirmed()
            try await Self.change(confirmed, id, #"{"role": "host"}"#).expect(200)
            try await Self.change(confirmed, id, #"{"disabled": true}"#).expect(200)
        }
    }

    @Test func invitationsToASeriesRequireARecentSession() async throws {
        try await TestService.run { service in
            let series = try await service.meeting().seriesID
            let body = #"{"email": "new@example.org", "seriesId": "\#(series)", "role": "editor"}"#
            try await service.fixture.ageSessions()
            #expect(try await service.admin.post("/v1/invitations", json: body).requiresConfirmation)
            #expect(try await service.number("SELECT count(*) FROM invitation") == 0)
            try await service.admin.post("/v1/invitations", json: #"{"email": "other1@example.org"}"#).expect(201)
            try await service.admin.confirmed().post("/v1/invitations", json: body).expect(201)
        }
    }
}
