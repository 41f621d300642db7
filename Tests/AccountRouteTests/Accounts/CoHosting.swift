import Contract
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct CoHosting {
    private static let times = RosterManagement.futureTimes

    @Test func coHostAccessFollowsTheRole() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let (series, hosts) = ("/v1/series/\(meeting.seriesID)", "/v1/series/\(meeting.seriesID)/hosts")
            #expect(try await service.other.get(series).status == 404)
            let viewer = #"{"email": " Other@Example.org", "role": "viewer"}"#
            let created = try await service.host.post(hosts, json: viewer).expect(201)
            #expect(try created.string("name") == "Otto Other" && created.string("role") == "viewer")
            #expect(try await service.other.get(series).status == 200)
            #expect(try await service.patch(series, "{}", match: "*", by: service.other).status == 403)
            let editor = #"{"email": "other@example.org", "role": "editor"}"#
            try await service.host.post(hosts, json: editor).expect(200)
            try await service.patch(series, #"{"title": "T"}"#, match: "*", by: service.other).expect(200)
            #expect(try await service.other.delete(series).status == 403)
            let list = try await service.host.get(hosts).expect(200)
            let roles = list.json?["items"]?.array?.map { "\($0["email"]?.string ?? "") \($0["role"]?.string ?? "")" }
            #expect(roles == ["host@example.org owner", "other@example.org editor"])
            let id = try created.string("accountId")
            try await service.other.delete("\(hosts)/\(id)").expect(204)
            #expect(try await service.other.get(series).status == 404)
            #expect(try await service.host.delete("\(hosts)/\(id)").status == 404)
        }
    }

    @Test func coHostCanRemoveOnlyThemselves() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let hosts = "/v1/series/\(meeting.seriesID)/hosts"
            for email in ["other@example.org", "admin@example.org"] {
                try await service.host.post(hosts, json: "{\"email\": \"\(email)\", \"role\": \"editor\"}").expect(201)
            }
            let admin = try #require(
                try await service.host.get(hosts).json?["items"]?.array?.first { $0["role"] == .string("editor") }?[
                    "accountId"]?.string)
            #expect(try await service.other.delete("\(hosts)/\(admin)").status == 403)
            func remove(_ email: String) async throws -> Int {
                try await service.other.send("DELETE", hosts, body: Array("{\"email\": \"\(email)\"}".utf8)).status
            }
            #expect(try await remove("admin@example.org") == 403)
            #expect(try await remove("nobody@example.org") == 403)
            #expect(try await remove("OTHER@example.org") == 204)
            #expect(try await remove("other@example.org") == 404)
        }
    }

    @Test func onlyAnEnabledAccountCanBeACoHost() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let hosts = "/v1/series/\(meeting.seriesID)/hosts"
            try await service.sql("UPDATE account SET disabled_at = now() WHERE email = 'other@example.org'")
            for (body, status, fault) in [
                (#"{"email": "other@example.org", "role": "viewer"}"#, 422, "/email unknown-account"),
                (#"{"email": "nobody@example.org", "role": "viewer"}"#, 422, "/email unknown-account"),
                (#"{"email": "host@example.org", "role": "viewer"}"#, 422, "/email is-owner"),
                (#"{"email": "admin@example.org", "role": "owner"}"#, 422, "/role unknown-value"),
                (#"{"email": "(", "role": "viewer"}"#, 422, "/email invalid-email"),
            ] {
                let response = try await service.host.post(hosts, json: body)
                #expect(response.status == status && response.faults == [fault], "\(body): \(response.text)")
            }
        }
    }

    @Test func accountEnumerationIsLimited() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let hosts = "/v1/series/\(meeting.seriesID)/hosts"
            // At most thirty of the concurrent requests are evaluated.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<45 {
                    let body = "{\"email\": \"x\(number)@example.org\", \"role\": \"viewer\"}"
                    group.addTask { try await service.host.post(hosts, json: body).status }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [422: 30, 429: 15])
            // The same limit applies to the address of an heir and of a new owner.
            let heir = Array(#"{"heir": "nobody@example.org"}"#.utf8)
            #expect(try await service.host.send("DELETE", "/v1/me", body: heir).status == 429)
            let transfer = "/v1/series/\(meeting.seriesID)/transfer"
            #expect(try await service.host.post(transfer, json: #"{"email": "x@example.org"}"#).status == 429)
            #expect(try await service.other.send("DELETE", "/v1/me", body: heir).status == 422)
            // Without an heir the response reveals no account, so deletion is not limited.
            #expect(try await service.host.delete("/v1/me").status == 204)
        }
    }

    @Test func addressesOfExistingAccountsCountTowardsTheLimit() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let (hosts, transfer) = ("/v1/series/\(meeting.seriesID)/hosts", "/v1/series/\(meeting.seriesID)/transfer")
            let known = #"{"email": "other@example.org", "role": "viewer"}"#
            for _ in 0..<60 {
                #expect([200, 201].contains(try await service.host.post(hosts, json: known).status))
            }
            let over = try await service.host.post(hosts, json: known)
            #expect(over.status == 429 && over["Retry-After"] != nil)
            #expect(try await service.host.post(transfer, json: #"{"email": "other@example.org"}"#).status == 429)
            // An invalid body names no address, and every account has its own limit.
            #expect(try await service.host.post(hosts, json: "{}").status == 422)
            try await service.admin.post(hosts, json: known).expect(200)
        }
    }

    @Test func transferMovesTheSeriesWithAllItsRounds() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(members: Self.times)
            let path = "/v1/series/\(meeting.seriesID)"
            let moved = try await service.host.post("\(path)/transfer", json: #"{"email": "other@example.org"}"#)
                .expect(200).decoded(as: Contract.Series.self)
            #expect(moved.role == "editor" && moved.owner.name == "Otto Other")
            #expect(try await service.other.get(path).decoded(as: Contract.Series.self).role == "owner")
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            // The time slot is now taken for the new owner and free for the old one.
            let same = "{\"title\": \"B\", \(Self.times)}"
            #expect(try await service.other.post("/v1/meetings", json: same).status == 409)
            try await service.host.post("/v1/meetings", json: same).expect(201)
            let byFormerOwner = try await service.host.post("\(path)/transfer", json: #"{"email": "host@example.org"}"#)
            #expect(byFormerOwner.status == 403)
            let toThemselves = try await service.other.post(
                "\(path)/transfer", json: #"{"email": "other@example.org"}"#)
            #expect(toThemselves.faults == ["/email is-owner"])
            let rows = try await service.fixture.store.pool.query(
                "SELECT count(*) FROM audit WHERE act = 'series.transfer'")
            #expect(try rows[0].decode(Int.self) == 1)
        }
    }

    @Test func transferThatOverlapsTheNewOwnersMeetingsIsRefusedUnlessAllowed() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times)
            let own = try await service.meeting(members: Self.times, by: service.other)
            let path = "/v1/series/\(meeting.seriesID)/transfer"
            let refused = try await service.host.post(path, json: #"{"email": "other@example.org"}"#)
            #expect(refused.status == 409 && refused.problem == "meeting-overlap")
            // The refusal reveals nothing about the calendar of the proposed owner.
            #expect(refused.json?["conflicts"] == .array([]) && !refused.text.contains("2099"))
            #expect(refused.json?["detail"]?.string?.contains("The new owner already has meetings") == true)
            try await service.other.post(
                "/v1/series/\(own.seriesID)/hosts", json: #"{"email": "host@example.org", "role": "viewer"}"#
            ).expect(201)
            let asViewer = try await service.host.post(path, json: #"{"email": "other@example.org"}"#)
            #expect(asViewer.status == 409 && asViewer.json?["conflicts"]?[0]?["id"]?.string == own.id)
            #expect(try await service.host.get(meeting.path).status == 200)
            #expect(try await service.other.get("/v1/series/\(meeting.seriesID)").status == 404)
            try await service.host.post(path, json: #"{"email": "other@example.org", "allowOverlap": true}"#)
                .expect(200)
            #expect(try await service.other.get(meeting.path).json?["allowOverlap"] == .bool(true))
            #expect(try await service.other.get(own.path).json?["allowOverlap"] == .bool(false))
        }
    }

    @Test func transferRequiresARecentSession() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let (path, body) = ("\(meeting.seriesPath)/transfer", #"{"email": "other@example.org"}"#)
            try await service.fixture.ageSessions()
            #expect(try await service.host.post(path, json: body).requiresConfirmation)
            #expect(try await service.other.post(path, json: body).status == 404, "the series stays hidden from others")
            #expect(try await service.other.get(meeting.path).status == 404)
            try await service.host.confirmed().post(path, json: body).expect(200)
            #expect(try await service.other.get(meeting.path).status == 200)
        }
    }
}
