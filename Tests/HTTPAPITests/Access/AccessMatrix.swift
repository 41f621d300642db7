import Domain
import Foundation
import HTTPAPI
import HTTPTypes
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Calls every route of the service as every kind of caller. A new route needs a row in ``rows``.
@Suite(.timeLimit(.minutes(15))) struct AccessMatrix {
    static let rows: [String: AccessRow] = [
        mainRows, signUpRows, accountsRows, seriesRows, roundsRows, attendanceRows, codesRows,
        sharingRows, liveRows, webhooksRows, templatesRows, filtersRows, termsRows, trendsRows, picturesRows,
    ].reduce(into: [:]) { all, rows in all.merge(rows) { first, _ in first } }

    @Test func everyRouteHasARow() async throws {
        try await TestService.run { service in
            let names = AfterwordAPI.routes(store: service.fixture.store).map { "\($0.method) \($0.path)" }
            #expect(Set(names) == Set(Self.rows.keys))
        }
    }

    @Test(arguments: Caller.allCases)
    func everyCallerGetsTheExpectedStatus(caller: Caller) async throws {
        let column = try #require(Caller.allCases.firstIndex(of: caller))
        try await TestService.run { service in
            let principal = try await Self.makePrincipal(caller, service)
            let stage = try await Self.stage(service, principal)
            if caller == .viewer || caller == .editor, let principal {
                let id = try #require(UUID(uuidString: stage.meeting.seriesID))
                try await service.sql(
                    """
                    INSERT INTO series_host (series_id, account_id, role)
                    VALUES (\(id), \(principal.account.id), \(caller.rawValue))
                    """)
            }
            for (route, row) in try Self.ordered(service) {
                let name = "\(route.method) \(route.path)"
                let path = try await stage.path(route.path, row)
                var client = service.anyone
                if let principal {
                    client = client.bearing(try await Self.makeToken(caller, principal, route, service))
                }
                let response = try await client.send(
                    route.method.rawValue, path, body: row.body.map { Array($0.utf8) }, headers: row.headers)
                #expect(response.status == row.statuses[column], "\(caller): \(name): \(response.text)")
                if response.status >= 400 {
                    #expect(response.problem != nil && response.json?["detail"]?.string?.isEmpty == false, "\(name)")
                }
            }
        }
    }

    static func stage(_ service: TestService, _ principal: Principal?) async throws -> AccessStage {
        let meeting = try await service.openMeeting()
        let sent = try await meeting.submit(#"{"pace": 3, "better": "x"}"#).expect(201)
        return AccessStage(
            service: service, meeting: meeting, submissionID: try sent.string("id"), principal: principal)
    }

    /// All routes with their rows, sorted by turn.
    static func ordered(_ service: TestService) throws -> [(route: Route, row: AccessRow)] {
        let routes = try AfterwordAPI.routes(store: service.fixture.store).map { route in
            (route: route, row: try #require(rows["\(route.method) \(route.path)"], "\(route.method) \(route.path)"))
        }
        let turns = Set(routes.map(\.row.turn)).sorted()
        return turns.flatMap { turn in routes.filter { $0.row.turn == turn } }
    }

    private static func makePrincipal(_ caller: Caller, _ service: TestService) async throws -> Principal? {
        switch caller {
        case .anonymous: return nil
        case .owner, .otherScope: return service.fixture.host
        case .admin: return service.fixture.admin
        case .stranger, .viewer, .editor, .disabled:
            return try await TestStore.account("\(caller)@example.org", "Somebody", .host, in: service.fixture.store)
        }
    }

    /// Creates a token for one call, because some calls end sessions. Disables the account of the caller `disabled`.
    private static func makeToken(
        _ caller: Caller, _ principal: Principal, _ route: Route, _ service: TestService
    ) async throws -> String {
        let token = try await TestService.token(of: principal, in: service.fixture.store)
        if caller == .disabled {
            try await service.sql("UPDATE account SET disabled_at = now() WHERE id = \(principal.account.id)")
        }
        if caller == .otherScope {
            var scopes = Set(Principal.Scope.allCases)
            switch route.access {
            case .account(let scope?), .admin(let scope?): scopes.remove(scope)
            case .account(nil), .admin(nil), .anyone, .participant, .receipt: break
            }
            let names: [String] = scopes.map(\.rawValue)
            try await service.sql(
                "UPDATE token SET scopes = \(names) WHERE hash = sha256(convert_to(\(token), 'UTF8'))")
        }
        return token
    }
}
