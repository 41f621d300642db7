import Domain
import Foundation
import HTTPAPI
import HTTPTypes
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Every route of the table, called by everybody who might.
@Suite(.timeLimit(.minutes(5))) struct AccessMatrix {
    enum Caller: String, CaseIterable {
        case anonymous, stranger, viewer, editor, owner, admin, disabled
        /// The owner, by a token that has every scope but the route's.
        case otherScope
    }

    /// The status for each caller, in the order of `Caller.allCases`.
    private struct Row {
        var statuses: [Int]

        init(_ statuses: Int...) { self.statuses = statuses }

        /// Whoever it is: no account is asked for.
        static func all(_ status: Int) -> Row { Row(repeating: status) }
        /// Any account that is signed in.
        static func signedIn(_ status: Int) -> Row { Row(401, status, status, status, status, status, 401, 403) }
        static func sight(_ status: Int) -> Row { Row(401, 404, status, status, status, status, 401, 403) }
        static func work(_ status: Int) -> Row { Row(401, 404, 403, status, status, status, 401, 403) }

        private init(repeating status: Int) { statuses = Caller.allCases.map { _ in status } }
    }

    private static let expected: [String: Row] = [
        "POST /v1/sessions": .all(201),
        "GET /v1/sessions/current": Row(401, 200, 200, 200, 200, 200, 401, 200),
        "DELETE /v1/sessions/current": Row(401, 204, 204, 204, 204, 204, 401, 204),
        "POST /v1/meetings": .signedIn(201),
        "GET /v1/meetings": .signedIn(200),
        "GET /v1/meetings/{id}": .sight(200),
        "DELETE /v1/meetings/{id}": .work(204),
        "GET /v1/meetings/{id}/form": .sight(200),
        "PUT /v1/meetings/{id}/form": .work(200),
        "POST /v1/meetings/{id}/form/publish": .work(200),
        "POST /v1/meetings/{id}/form/close": .work(200),
        "POST /v1/meetings/{id}/form/reopen": .work(200),
        "GET /v1/meetings/{id}/results": .sight(200),
        "GET /v1/meetings/{id}/results/{key}/answers": .sight(200),
        "GET /v1/meetings/{id}/export/{file}": .sight(200),
        "GET /v1/series/{id}/export/{file}": .sight(200),
        "GET /v1/admin/export/{file}": Row(401, 403, 403, 403, 403, 200, 401, 403),
        "GET /v1/forms/{code}": .all(200),
        // An account's token is never taken for a participant's key or receipt.
        "POST /v1/forms/{code}/submissions": Row(201, 401, 401, 401, 401, 401, 401, 401),
        "GET /v1/forms/{code}/submissions/{id}": .all(401),
        "PUT /v1/forms/{code}/submissions/{id}": .all(401),
        "DELETE /v1/forms/{code}/submissions/{id}": .all(401),
    ]

    private static let bodies: [String: String] = [
        "POST /v1/sessions":
            "{\"email\": \"host@example.org\", \"password\": \"\(TestStore.password)\"}",
        "POST /v1/meetings": #"{"title": "A"}"#,
        "PUT /v1/meetings/{id}/form": "{\"questions\": \(TestStore.questions)}",
        "POST /v1/forms/{code}/submissions": #"{"answers": {"pace": 3}}"#,
        "PUT /v1/forms/{code}/submissions/{id}": #"{"answers": {"pace": 3}}"#,
    ]

    @Test func everyRouteHasARow() async throws {
        try await TestService.run { service in
            let names = AfterwordAPI.routes(store: service.fixture.store).map { "\($0.method) \($0.path)" }
            #expect(Set(names) == Set(Self.expected.keys))
        }
    }

    @Test(arguments: Caller.allCases)
    func aCallerMayDoWhatTheTableSays(caller: Caller) async throws {
        let column = try #require(Caller.allCases.firstIndex(of: caller))
        try await TestService.run { service in
            let principal = try await Self.principal(caller, service)
            let meeting = try await service.openMeeting()
            let sent = try await meeting.submit(#"{"pace": 3, "better": "x"}"#).expect(201)
            if caller == .viewer || caller == .editor, let principal {
                let id = try #require(UUID(uuidString: meeting.seriesID))
                try await service.sql(
                    """
                    INSERT INTO series_host (series_id, account_id, role)
                    VALUES (\(id), \(principal.account.id), \(caller.rawValue))
                    """)
            }
            // What moves the meeting to the trash comes last.
            let routes = AfterwordAPI.routes(store: service.fixture.store)
            let ordered = routes.filter { $0.method != .delete } + routes.filter { $0.method == .delete }
            for route in ordered {
                let name = "\(route.method) \(route.path)"
                let row = try #require(Self.expected[name], "\(name)")
                let id = route.path.contains("/submissions/") ? try sent.string("id") : meeting.id
                let path = route.path
                    .replacing("/series/{id}", with: "/series/\(meeting.seriesID)")
                    .replacing("{id}", with: id).replacing("{code}", with: meeting.code)
                    .replacing("{key}", with: "better").replacing("{file}", with: "summary.csv")
                var client = service.anyone
                if let principal {
                    client = client.bearing(try await Self.token(caller, principal, route, service))
                }
                let answer = try await client.send(
                    route.method.rawValue, path, body: Self.bodies[name].map { Array($0.utf8) },
                    headers: route.method == .put && route.path.hasSuffix("/form") ? ["If-Match": "*"] : [:])
                #expect(answer.status == row.statuses[column], "\(caller): \(name): \(answer.text)")
                if answer.status >= 400 { #expect(answer.problem != nil, "\(name)") }
            }
        }
    }

    private static func principal(_ caller: Caller, _ service: TestService) async throws -> Principal? {
        switch caller {
        case .anonymous: return nil
        case .owner, .otherScope: return service.fixture.host
        case .admin: return service.fixture.admin
        case .stranger, .viewer, .editor, .disabled:
            return try await TestStore.account("\(caller)@example.org", "Somebody", .host, in: service.fixture.store)
        }
    }

    /// A fresh token for every call: one of them ends its session.
    private static func token(
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
