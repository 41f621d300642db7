import Foundation
import HTTPAPI
import HTTPTypes
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AuditReading {
    private static func actions(_ service: TestService, _ query: String = "") async throws -> [String] {
        let answer = try await service.admin.get("/v1/admin/audit?\(query)").expect(200)
        return (answer.json?["items"]?.array ?? []).compactMap { $0["act"]?.string }
    }

    @Test func actionsAreListedNewestFirstAndFiltered() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let host = service.fixture.host.account.id
            try await AccountAdministration.change(service.admin, host, #"{"role": "admin"}"#).expect(200)
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
            let answer = try await service.admin.get("/v1/admin/audit").expect(200)
            let told = try #require(answer.json?["items"]?.array)
            func about(_ act: String) throws -> JSONValue {
                try #require(told.first { $0["act"]?.string == act }?["about"])
            }
            for act in ["meeting.create", "form.publish", "attendee.add", "share.create", "meeting.trash"] {
                let about = try about(act)
                #expect(about["kind"]?.string == "meeting" && about["id"]?.string == meeting.id, "\(act)")
                #expect(about["round"]?.int == 1 && about["deletedAt"]?.string != nil, "\(act)")
            }
            let joining = try about("join-code.create")
            #expect(joining["kind"]?.string == "series" && joining["id"]?.string == series)
            #expect(joining["round"]?.isNull == true && joining["deletedAt"]?.isNull == true)
        }
    }

    @Test func pagesNeitherSkipNorRepeatWhileActionsArrive() async throws {
        try await TestService.run { service in
            for _ in 0..<9 { _ = try await service.meeting() }
            var seen: [String] = []
            var cursor: String?
            repeat {
                let suffix = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await service.admin.get("/v1/admin/audit?limit=2\(suffix)").expect(200)
                seen += (page.json?["items"]?.array ?? []).compactMap { $0["id"]?.string }
                cursor = page.json?["next"]?.string
                _ = try await service.meeting()
            } while cursor != nil
            #expect(seen.count == 9 && Set(seen).count == 9)
        }
    }

    /// Actions that write no audit row, each with its reason.
    private static let silent: [String: String] = [
        "DELETE /v1/sessions/current": "neither signing in nor signing out is an action",
        "POST /v1/live-tickets": "it replaces the token for a minute, and only reads",
        "DELETE /v1/meetings/{id}/walk-ins": "there is no walk-in, so nothing changes",
        "POST /v1/meetings/{id}/form/publish": "the form is published already, so that nothing changes",
    ]

    @Test func everyActionOfAHostOrAdminIsAudited() async throws {
        try await TestService.run { service in
            let stage = try await AccessMatrix.stage(service, service.fixture.admin)
            let asAdmin = try #require(Caller.allCases.firstIndex(of: .admin))
            var judged = 0
            for (route, row) in try AccessMatrix.ordered(service)
            where route.method != .get && Self.isAction(route) && Self.silent["\(route.method) \(route.path)"] == nil
                && row.statuses[asAdmin] < 300
            {
                let path = try await stage.path(route.path, row)
                let before = try await Self.count(service)
                let token = try await TestService.token(of: service.fixture.admin, in: service.fixture.store)
                let answer = try await service.anyone.bearing(token).send(
                    route.method.rawValue, path, body: row.body.map { Array($0.utf8) }, headers: row.headers)
                #expect(answer.status < 300, "\(route.method) \(route.path): \(answer.text)")
                #expect(try await Self.count(service) > before, "\(route.method) \(route.path)")
                judged += 1
            }
            #expect(judged >= 20)
        }
    }

    /// Whether the route is an action of a signed-in account.
    private static func isAction(_ route: Route) -> Bool {
        switch route.access {
        case .account, .admin: true
        case .anyone, .participant, .receipt: false
        }
    }

    private static func count(_ service: TestService) async throws -> Int {
        try #require(try await service.fixture.store.pool.query("SELECT count(*) FROM audit").first)
            .decode(Int.self)
    }
}
