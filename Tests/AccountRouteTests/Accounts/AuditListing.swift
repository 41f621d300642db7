import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AuditListing {
    private static func actions(_ service: TestService, _ query: String = "") async throws -> [String] {
        let response = try await service.admin.get("/v1/admin/audit?\(query)").expect(200)
        return (response.json?["items"]?.array ?? []).compactMap { $0["act"]?.string }
    }

    @Test func actionsAreListedNewestFirstAndFiltered() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let host = service.fixture.host.account.id
            try await ManagingAccounts.change(service.admin, host, #"{"role": "admin"}"#).expect(200)
            let all = try await service.admin.get("/v1/admin/audit").expect(200)
            let newest = try #require(all.json?["items"]?[0])
            #expect(newest["act"]?.string == "account.role")
            #expect(newest["subjectId"]?.string == host.uuidString.lowercased())
            #expect(newest["accountId"]?.string == service.fixture.admin.account.id.uuidString.lowercased())
            #expect(newest["detail"]?["from"]?.string == "host" && newest["detail"]?["to"]?.string == "admin")
            #expect(try await Self.actions(service) == ["account.role", "form.publish", "meeting.create"])
            #expect(try await Self.actions(service, "account=\(host)") == ["form.publish", "meeting.create"])
            #expect(try await Self.actions(service, "subject=\(meeting.id)") == ["meeting.create"])
            #expect(try await Self.actions(service, "act=form.publish") == ["form.publish"])
            #expect(try await Self.actions(service, "from=2999-01-01") == [])
            #expect(try await Self.actions(service, "to=2020-01-01") == [])
            #expect(try await service.admin.get("/v1/admin/audit?account=x").faults == ["?account invalid-id"])
        }
    }

    @Test func actionsNameTheirMeetingOrSeries() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "attendee""#)
            let series = try #require(
                try await service.host.get(meeting.path).expect(200).json?["seriesId"]?.string)
            try await service.host.post("\(meeting.path)/attendees", json: #"{"name": "Ann"}"#).expect(201)
            try await service.host.post("\(meeting.path)/shares", json: "{}").expect(201)
            try await service.host.post("/v1/series/\(series)/join-codes", json: "{}").expect(201)
            try await service.host.delete(meeting.path).expect(204)
            let response = try await service.admin.get("/v1/admin/audit").expect(200)
            let items = try #require(response.json?["items"]?.array)
            func about(_ act: String) throws -> JSONValue {
                try #require(items.first { $0["act"]?.string == act }?["about"])
            }
            for act in ["meeting.create", "form.publish", "attendee.add", "share.create", "meeting.trash"] {
                let about = try about(act)
                #expect(about["kind"]?.string == "meeting" && about["id"]?.string == meeting.id, "\(act)")
                #expect(about["round"]?.int == 1 && about["deletedAt"]?.string != nil, "\(act)")
            }
            #expect(try about("attendee.add")["person"]?.string == "Ann")
            #expect(try about("share.create")["person"]?.isNull == true)
            let joining = try about("join-code.create")
            #expect(joining["kind"]?.string == "series" && joining["id"]?.string == series)
            #expect(joining["round"]?.isNull == true && joining["deletedAt"]?.isNull == true)
        }
    }

    @Test func invitationsAreNamedByTheirAddressAndSignInsAreListed() async throws {
        try await TestService.run { service in
            try await service.admin.post("/v1/invitations", json: #"{"email": "new@example.org"}"#).expect(201)
            let login = #"{"email": "\#(service.fixture.host.account.email)", "password": "\#(TestStore.password)"}"#
            try await service.admin.post("/v1/sessions", json: login).expect(201)
            let items = try await service.admin.get("/v1/admin/audit").expect(200).json?["items"]?.array ?? []
            #expect(items.map { $0["act"]?.string } == ["account.sign-in", "invitation.create"])
            #expect(items.last?["about"]?["kind"]?.string == "invitation")
            #expect(items.last?["about"]?["name"]?.string == "new@example.org")
            #expect(items.first?["accountId"]?.string == service.fixture.host.account.id.uuidString.lowercased())
        }
    }

    @Test func pagesNeitherSkipNorRepeatWhileActionsArrive() async throws {
        try await TestService.run { service in
            for _ in 0..<9 { _ = try await service.meeting() }
            var listedIDs: [String] = []
            var cursor: String?
            repeat {
                let suffix = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await service.admin.get("/v1/admin/audit?limit=2\(suffix)").expect(200)
                listedIDs += (page.json?["items"]?.array ?? []).compactMap { $0["id"]?.string }
                cursor = page.json?["next"]?.string
                _ = try await service.meeting()
            } while cursor != nil
            #expect(listedIDs.count == 9 && Set(listedIDs).count == 9)
        }
    }
}
