import Foundation
import HTTPAPI
import HTTPTypes
import Postgres
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AuditedActions {
    /// Actions that write no audit row, each with its reason.
    private static let unaudited: [String: String] = [
        "PUT /v1/sessions/current": "only the session changes",
        "DELETE /v1/sessions/current": "neither signing in nor signing out is an action",
        "POST /v1/meetings/{id}/stage": "only the open pages of the stage change",
        "POST /v1/live-tickets": "a ticket replaces the token for a minute, and only for reading",
        "DELETE /v1/meetings/{id}/walk-ins": "there is no walk-in, so nothing changes",
        "POST /v1/meetings/{id}/form/publish": "the form is already published, so nothing changes",
    ]

    @Test func everyActionOfAHostOrAdminIsAudited() async throws {
        try await TestService.run { service in
            let stage = try await AccessMatrix.stage(service, service.fixture.admin)
            let adminColumn = try #require(Caller.allCases.firstIndex(of: .admin))
            var checked = 0
            for (route, row) in try AccessMatrix.ordered(service)
            where route.method != .get && Self.isAction(route) && Self.unaudited["\(route.method) \(route.path)"] == nil
                && row.statuses[adminColumn] < 300
            {
                let path = try await stage.path(route.path, row)
                let before = try await Self.auditRowCount(service)
                let token = try await TestService.token(of: service.fixture.admin, in: service.fixture.store)
                let response = try await service.anyone.bearing(token).send(
                    route.method.rawValue, path, body: row.body.map { Array($0.utf8) }, headers: row.headers)
                #expect(response.status < 300, "\(route.method) \(route.path): \(response.text)")
                #expect(try await Self.auditRowCount(service) > before, "\(route.method) \(route.path)")
                checked += 1
            }
            #expect(checked >= 20)
        }
    }

    /// Whether the route is an action of a signed-in account.
    private static func isAction(_ route: Route) -> Bool {
        switch route.access {
        case .account, .admin: true
        case .anyone, .participant, .receipt: false
        }
    }

    private static func auditRowCount(_ service: TestService) async throws -> Int {
        try #require(try await service.fixture.store.pool.query("SELECT count(*) FROM audit").first)
            .decode(Int.self)
    }
}
