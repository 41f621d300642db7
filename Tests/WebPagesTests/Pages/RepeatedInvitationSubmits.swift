import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// The sign-up form of an invitation link is submitted more than once.
@Suite(.timeLimit(.minutes(5))) struct RepeatedInvitationSubmits {
    private struct InvitationLink {
        let path: String
        let code: String

        init(_ email: String, by service: TestService) async throws {
            let created = try await service.admin.post("/v1/invitations", json: "{\"email\": \"\(email)\"}").expect(201)
            code = try created.string("code")
            let url = try created.string("url")
            path = String(url[(url.firstRange(of: "/sign-up")?.lowerBound ?? url.startIndex)...])
        }
    }

    private static let email = "dora@example.org"

    private static func submit(
        _ invited: InvitationLink, _ browser: inout PageBrowser, password: String = "a long password"
    ) async throws -> HTTPTestClient.Response {
        try await browser.post(
            invited.path,
            ["invitation": invited.code, "email": email, "name": "Dora", "password": password])
    }

    private static func isSignedIn(_ token: String?, at service: TestService) async throws -> Bool {
        guard let token else { return false }
        return try await service.anyone.bearing(token).get("/v1/me").status == 200
    }

    /// The second request is sent while the first is still creating the account.
    @Test func concurrentSubmitsBothSignIn() async throws {
        try await TestService.withPages { service in
            let invited = try await InvitationLink(Self.email, by: service)
            var opened = PageBrowser(service.anyone)
            _ = try await opened.get(invited.path).expect(200)
            let lockHolder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await lockHolder.script("BEGIN; SELECT 1 FROM invitation FOR NO KEY UPDATE")
            async let responses = withThrowingTaskGroup(of: (HTTPTestClient.Response, String?).self) { group in
                for _ in 0..<2 {
                    group.addTask { [opened] in
                        var browser = opened
                        let response = try await Self.submit(invited, &browser)
                        return (response, browser.cookies["afterword-session"])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await Self.waitForLocks(2, in: service)
            try await lockHolder.script("COMMIT")
            for (response, session) in try await responses {
                #expect(response.status == 303 && response["Location"] == "/home", "\(response.text)")
                #expect(try await Self.isSignedIn(session, at: service))
            }
            await lockHolder.close()
        }
    }

    /// The browser keeps the cookie of the first response and discards the second response.
    @Test func secondSubmitKeepsTheFirstSession() async throws {
        try await TestService.withPages { service in
            let invited = try await InvitationLink(Self.email, by: service)
            var browser = PageBrowser(service.anyone)
            _ = try await browser.get(invited.path).expect(200)
            try await Self.submit(invited, &browser).expect(303)
            let first = browser.cookies["afterword-session"]
            var discarding = browser
            let second = try await Self.submit(invited, &discarding)
            #expect(second.status == 303 && second["Location"] == "/home")
            #expect(try await Self.isSignedIn(first, at: service), "the second submit ended the first session")
            #expect(try await Self.isSignedIn(discarding.cookies["afterword-session"], at: service))
            let sessions = try await service.anyone.bearing(first ?? "").get("/v1/sessions").expect(200)
            #expect(sessions.json?["items"]?.array?.count == 1, "\(sessions.text)")
        }
    }

    @Test func usedLinkWithAnotherPasswordStartsNoSession() async throws {
        try await TestService.withPages { service in
            let invited = try await InvitationLink(Self.email, by: service)
            var browser = PageBrowser(service.anyone)
            _ = try await browser.get(invited.path).expect(200)
            try await Self.submit(invited, &browser).expect(303)
            var stranger = PageBrowser(service.anyone)
            _ = try await stranger.get(invited.path).expect(200)
            let refused = try await Self.submit(invited, &stranger, password: "of a stranger")
            #expect(refused.status == 422 && refused.text.contains("This invitation no longer works"))
            #expect(stranger.cookies["afterword-session"] == nil)
            // The session of another account does not help either, and remains valid.
            let hostSession = try await TestService.token(of: service.fixture.host, in: service.fixture.store)
            stranger.cookies["afterword-session"] = hostSession
            #expect(try await Self.submit(invited, &stranger, password: "of a stranger").status == 422)
            #expect(stranger.cookies["afterword-session"] == hostSession)
            #expect(try await Self.isSignedIn(hostSession, at: service))
        }
    }

    /// The second submit signs in. If sign-ins are rate limited, the page does not say that the invitation was used.
    @Test func rateLimitedSecondSubmitShowsTheFormAgain() async throws {
        try await TestService.withPages { service in
            let invited = try await InvitationLink(Self.email, by: service)
            var browser = PageBrowser(service.anyone)
            _ = try await browser.get(invited.path).expect(200)
            try await Self.submit(invited, &browser).expect(303)
            for _ in 0..<10 {
                let body = "{\"email\": \"\(Self.email)\", \"password\": \"wrong\"}"
                try await service.anyone.post("/v1/sessions", json: body).expect(401)
            }
            var other = PageBrowser(service.anyone)
            _ = try await other.get(invited.path).expect(200)
            let limited = try await Self.submit(invited, &other)
            #expect(!limited.text.contains("This invitation no longer works"))
            #expect(limited.text.contains("role=\"alert\"") && limited.text.contains("value=\"Dora\""))
        }
    }

    /// Uses the database's superuser, because the store's own role can't see which locks other sessions wait for.
    private static func waitForLocks(_ count: Int, in service: TestService) async throws {
        let observer = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            let rows = try await observer.query(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """)
            if try rows.first?.decode(Int.self) ?? 0 >= count { return await observer.close() }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TestStore.Missing("\(count) sessions that wait for a lock")
    }
}
