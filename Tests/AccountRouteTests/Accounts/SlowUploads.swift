import Foundation
import HTTPAPI
import HTTPServer
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// A request whose body arrives after its sender's permissions have been revoked.
@Suite(.timeLimit(.minutes(15))) struct SlowUploads {
    /// The response to a raw request if `change` happens between its authentication and its body.
    ///
    /// - Parameter slowBody: how long a body may take before access is checked a second time, ahead of the action. With
    ///   an hour, only the transaction of the action itself can refuse the request.
    private static func response(
        _ service: TestService, _ request: String, _ body: String, by client: HTTPTestClient,
        slowBody: Duration = .seconds(3600), after change: () async throws -> Void
    ) async throws -> String {
        let (authentications, authenticated) = AsyncStream<Void>.makeStream()
        let store = service.fixture.store
        var limits = ConnectionLimits()
        limits.slowBody = slowBody
        let api = try API(
            routes: AfterwordAPI.routes(store: store),
            authenticate: { token in
                let principal = try await store.tokens.find(token)
                authenticated.yield()
                return principal
            }, translate: Store.problem, metrics: PrometheusRegistry(), limits: limits)
        return try await LiveServer.run(api) { server, _ in
            try await RawConnection.open(port: server.port) { raw in
                try await raw.send(
                    """
                    \(request) HTTP/1.1\r\nHost: x\r\nAuthorization: \(client.authorization ?? "")\r\n\
                    Content-Type: application/json\r\nIf-Match: *\r\nConnection: close\r\n\
                    Content-Length: \(body.utf8.count)\r\n\r\n
                    """)
                for await _ in authentications { break }
                try await change()
                try await raw.send(body)
                return await raw.readToEnd()
            }
        }
    }

    @Test func demotedAdminCannotPromoteThemselvesByASlowUpload() async throws {
        try await TestService.run { service in
            _ = try await TestStore.account("b@example.org", "B", .admin, in: service.fixture.store)
            let id = service.fixture.admin.account.id
            let response = try await Self.response(
                service, "PATCH /v1/admin/accounts/\(id)", #"{"role": "admin"}"#, by: service.admin
            ) {
                try await service.sql("UPDATE account SET role = 'host' WHERE id = \(id)")
            }
            #expect(response.hasPrefix("HTTP/1.1 403"), "\(response)")
            let admins = try await service.number("SELECT count(*) FROM account WHERE role = 'admin'")
            #expect(admins == 1)
        }
    }

    @Test func noTokenIsCreatedAfterAPasswordChange() async throws {
        try await TestService.run { service in
            let response = try await Self.response(
                service, "POST /v1/tokens", APITokens.body(["meetings:read"]), by: service.host
            ) {
                let found = try #require(
                    try await service.fixture.store.accounts.find(email: AccountDeletion.address("host@example.org")))
                #expect(
                    try await service.fixture.store.accounts.setPassword(
                        email: AccountDeletion.address("host@example.org"), hash: found.passwordHash))
            }
            #expect(response.hasPrefix("HTTP/1.1 401"), "\(response)")
            #expect(try await service.number("SELECT count(*) FROM token WHERE kind = 'api'") == 0)
        }
    }

    @Test func revokedSessionCannotDeleteTheAccount() async throws {
        try await TestService.run { service in
            let response = try await Self.response(service, "DELETE /v1/me", "{}", by: service.host) {
                try await service.sql("UPDATE token SET revoked_at = now()")
            }
            #expect(response.hasPrefix("HTTP/1.1 401"), "\(response)")
            #expect(try await service.number("SELECT count(*) FROM account WHERE deleted_at IS NOT NULL") == 0)
        }
    }

    @Test func formerAdminCanNeitherEraseNorInvite() async throws {
        try await TestService.run { service in
            for (path, body) in [
                ("/v1/admin/erasures", #"{"email": "other@example.org"}"#), ("/v1/invitations", "{}"),
            ] {
                try await service.sql("UPDATE account SET role = 'admin' WHERE email = 'admin@example.org'")
                let response = try await Self.response(service, "POST \(path)", body, by: service.admin) {
                    try await service.sql("UPDATE account SET role = 'host' WHERE email = 'admin@example.org'")
                }
                #expect(response.hasPrefix("HTTP/1.1 403"), "\(response)")
            }
            #expect(try await service.other.get("/v1/me").status == 200)
            #expect(try await service.number("SELECT count(*) FROM invitation") == 0)
        }
    }

    @Test func accessIsCheckedAgainAfterASlowBody() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let rename = "PATCH /v1/series/\(meeting.seriesID)"
            let revoked = try await Self.response(
                service, rename, #"{"title": "Late"}"#, by: service.host, slowBody: .zero
            ) {
                try await service.sql("UPDATE token SET revoked_at = now() WHERE account_id <> \(UUID())")
            }
            #expect(revoked.hasPrefix("HTTP/1.1 401"), "\(revoked)")
            let admin = service.anyone.bearing(
                try await TestService.token(of: service.fixture.admin, in: service.fixture.store))
            let demoted = try await Self.response(
                service, rename, #"{"title": "Late"}"#, by: admin, slowBody: .zero
            ) {
                try await service.sql("UPDATE account SET role = 'host'")
            }
            #expect(demoted.hasPrefix("HTTP/1.1 403"), "\(demoted)")
            #expect(try await service.number("SELECT count(*) FROM series WHERE title = 'Late'") == 0)
        }
    }
}
