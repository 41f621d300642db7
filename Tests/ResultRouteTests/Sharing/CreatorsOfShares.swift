import Contract
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// A share is valid as long as its creator could create it again.
@Suite(.timeLimit(.minutes(15))) struct CreatorsOfShares {
    /// A share that a co-host created for a meeting of the host.
    private struct CoHostShare {
        var service: TestService
        var meeting: TestMeeting
        var creatorID: UUID
        var path: String

        var hostsPath: String { "/v1/series/\(meeting.seriesID)/hosts" }

        func setRole(_ role: String) async throws {
            let body = "{\"email\": \"other@example.org\", \"role\": \"\(role)\"}"
            let response = try await service.host.post(hostsPath, json: body)
            guard [200, 201].contains(response.status) else { throw TestStore.Missing("a co-host: \(response.text)") }
        }

        func expect(_ status: Int, _ why: Comment) async throws {
            for suffix in ["", "/results", "/results/better/answers"] {
                let response = try await service.anyone.get(path + suffix)
                #expect(response.status == status, why)
                if status == 410 { #expect(response.problem == "share-ended", why) }
            }
        }
    }

    private static func coHostShare(_ service: TestService) async throws -> CoHostShare {
        let meeting = try await service.openMeeting()
        let accounts = try await service.fixture.store.pool.query(
            "SELECT id FROM account WHERE email = 'other@example.org'")
        var share = CoHostShare(
            service: service, meeting: meeting, creatorID: try #require(try accounts.first?.decode(UUID.self)), path: ""
        )
        try await meeting.moderate("release").expect(204)
        try await share.setRole("editor")
        let created = try await service.other.post("\(meeting.path)/shares", json: #"{"name": "lent"}"#).expect(201)
        share.path = "/v1/shares/\(try created.string("token"))"
        return share
    }

    @Test func shareIsSuspendedWhileItsCreatorMayNotEdit() async throws {
        try await TestService.run { service in
            let share = try await Self.coHostShare(service)
            try await share.expect(200, "the creator is an editor")
            try await share.setRole("viewer")
            try await share.expect(410, "the creator is a viewer")
            try await share.setRole("editor")
            try await share.expect(200, "the creator is an editor again")
            try await service.host.delete("\(share.hostsPath)/\(share.creatorID.uuidString.lowercased())").expect(204)
            try await share.expect(410, "the creator is no longer a co-host")
            try await service.sql("UPDATE account SET role = 'admin' WHERE id = \(share.creatorID)")
            try await share.expect(200, "the creator is an admin")
            try await service.sql("UPDATE account SET disabled_at = now() WHERE id = \(share.creatorID)")
            try await share.expect(410, "the creator is disabled")
            // The list names the creator of the share, and a host can revoke the share permanently.
            let listed = try await share.meeting.host.get("\(share.meeting.path)/shares").expect(200)
            let shares = try listed.decoded(as: Page<Share>.self).items
            #expect(
                shares.map(\.createdBy.name) == ["Otto Other"] && shares.map(\.createdBy.id.uuid) == [share.creatorID])
            try await share.meeting.host.delete("\(share.meeting.path)/shares/\(shares[0].id)").expect(204)
            try await service.sql("UPDATE account SET disabled_at = NULL WHERE id = \(share.creatorID)")
            try await share.expect(410, "the share is revoked")
        }
    }

    @Test func shareRemainsValidAfterATransfer() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let path = try await meeting.sharePath()
            try await service.host.post(
                "/v1/series/\(meeting.seriesID)/transfer", json: #"{"email": "other@example.org"}"#
            ).expect(200)
            try await service.anyone.get(path).expect(200)
            let listed = try await service.other.get("\(meeting.path)/shares").expect(200)
            #expect(try listed.decoded(as: Page<Share>.self).items.map(\.createdBy.name) == ["Hanna Host"])
            let id = service.fixture.host.account.id.uuidString.lowercased()
            try await service.other.delete("/v1/series/\(meeting.seriesID)/hosts/\(id)").expect(204)
            #expect(try await service.anyone.get(path).status == 410)
        }
    }

    @Test func streamsEndWhenTheCreatorLosesAccess() async throws {
        try await TestService.run { service in
            let share = try await Self.coHostShare(service)
            let viewer = LiveTestViewer(service.anyone, share.path + "/live")
            #expect(try await viewer.wait { !$0.events.isEmpty })
            try await service.host.delete("\(share.hostsPath)/\(share.creatorID.uuidString.lowercased())").expect(204)
            #expect(try await viewer.wait { $0.isOver })
        }
    }

    @Test func creatingSharesAndReleasingTextsRequireReadAccess() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let scopes = ["meetings:read", "meetings:write", "results:read", "export:read"]
            for (missing, status) in [("results:read", 403), ("meetings:write", 403), ("export:read", 0)] {
                let token = try await APITokens.make(service.host, scopes.filter { $0 != missing })
                let client = service.anyone.bearing(token)
                for (path, success) in [("shares", 201), ("results/better/release", 204)] {
                    let response = try await client.post("\(meeting.path)/\(path)")
                    #expect(response.status == (status == 0 ? success : status), "\(path) without \(missing)")
                    if status == 403 { #expect(response.json?["detail"]?.string?.contains(missing) == true) }
                }
            }
            // Withdrawing a release requires no read access.
            let token = try await APITokens.make(service.host, ["meetings:read", "meetings:write"])
            let writer = service.anyone.bearing(token)
            try await writer.post("\(meeting.path)/results/better/withhold").expect(204)
            let shares = try await writer.get("\(meeting.path)/shares").expect(200).decoded(as: Page<Share>.self)
            #expect(shares.items.count == 1)
            for share in shares.items { try await writer.delete("\(meeting.path)/shares/\(share.id)").expect(204) }
        }
    }

    @Test func grantingAccessToResultsRequiresReadAccess() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let series = try await service.host.get(meeting.path).expect(200).string("seriesId")
            let token = try await APITokens.make(service.host, ["meetings:read", "meetings:write"])
            let writer = service.anyone.bearing(token)
            let formPath = "\(meeting.path)/form"
            func form(_ showResults: String) -> String {
                #"{"title": "A", "showResults": "\#(showResults)", "questions": [{"key": "pace", "kind": "rating", "title": "P"}]}"#
            }
            func put(_ showResults: String, by client: HTTPTestClient) async throws -> HTTPTestClient.Response {
                try await client.put(formPath, json: form(showResults), headers: ["If-Match": "*"])
            }
            try await put("never", by: service.host).expect(200)
            try await put("never", by: writer).expect(200)
            for shown in ["always", "afterClose"] {
                #expect(try await put(shown, by: writer).status == 403, "\(shown)")
            }
            try await put("always", by: service.host).expect(200)
            try await put("always", by: writer).expect(200)
            try await put("never", by: writer).expect(200)
            let address = #"{"email": "other@example.org"}"#
            for path in ["hosts", "transfer"] {
                let response = try await writer.post("/v1/series/\(series)/\(path)", json: address)
                #expect(response.status == 403 && response.json?["detail"]?.string?.contains("results:read") == true)
            }
        }
    }
}
