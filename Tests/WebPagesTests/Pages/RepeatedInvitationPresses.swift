import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// The form behind an invitation's link when it is sent more than once.
@Suite(.timeLimit(.minutes(5))) struct RepeatedInvitationPresses {
    private struct Invited {
        let path: String
        let code: String

        init(_ email: String, by service: TestService) async throws {
            let made = try await service.admin.post("/v1/invitations", json: "{\"email\": \"\(email)\"}").expect(201)
            code = try made.string("code")
            let url = try made.string("url")
            path = String(url[(url.firstRange(of: "/sign-up")?.lowerBound ?? url.startIndex)...])
        }
    }

    private static let email = "dora@example.org"

    private static func press(
        _ invited: Invited, _ browser: inout PageBrowser, password: String = "a long password"
    ) async throws -> HTTPTestClient.Answer {
        try await browser.post(
            invited.path,
            ["invitation": invited.code, "email": email, "name": "Dora", "password": password])
    }

    private static func isSignedIn(_ token: String?, at service: TestService) async throws -> Bool {
        guard let token else { return false }
        return try await service.anyone.bearing(token).get("/v1/me").status == 200
    }

    /// A slow first press: the second is sent while the account is being made.
    @Test func secondPressDuringTheFirstSignsInToo() async throws {
        try await TestService.withPages { service in
            let invited = try await Invited(Self.email, by: service)
            var opened = PageBrowser(service.anyone)
            _ = try await opened.get(invited.path).expect(200)
            let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await holder.script("BEGIN; SELECT 1 FROM invitation FOR NO KEY UPDATE")
            async let answers = withThrowingTaskGroup(of: (HTTPTestClient.Answer, String?).self) { group in
                for _ in 0..<2 {
                    group.addTask { [opened] in
                        var browser = opened
                        let answer = try await Self.press(invited, &browser)
                        return (answer, browser.cookies["afterword-session"])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await Self.waitForLocks(2, in: service)
            try await holder.script("COMMIT")
            for (answer, session) in try await answers {
                #expect(answer.status == 303 && answer["Location"] == "/home", "\(answer.text)")
                #expect(try await Self.isSignedIn(session, at: service))
            }
            await holder.close()
        }
    }

    /// The browser has the first answer's cookie, and drops the second answer with its own.
    @Test func secondPressLeavesTheSessionOfTheFirst() async throws {
        try await TestService.withPages { service in
            let invited = try await Invited(Self.email, by: service)
            var browser = PageBrowser(service.anyone)
            _ = try await browser.get(invited.path).expect(200)
            try await Self.press(invited, &browser).expect(303)
            let first = browser.cookies["afterword-session"]
            var dropped = browser
            let again = try await Self.press(invited, &dropped)
            #expect(again.status == 303 && again["Location"] == "/home")
            #expect(try await Self.isSignedIn(first, at: service), "the first session ended")
            #expect(try await Self.isSignedIn(dropped.cookies["afterword-session"], at: service))
            let sessions = try await service.anyone.bearing(first ?? "").get("/v1/sessions").expect(200)
            #expect(sessions.json?["items"]?.array?.count == 1, "\(sessions.text)")
        }
    }

    @Test func spentLinkAloneGivesNoSession() async throws {
        try await TestService.withPages { service in
            let invited = try await Invited(Self.email, by: service)
            var browser = PageBrowser(service.anyone)
            _ = try await browser.get(invited.path).expect(200)
            try await Self.press(invited, &browser).expect(303)
            var stranger = PageBrowser(service.anyone)
            _ = try await stranger.get(invited.path).expect(200)
            let refused = try await Self.press(invited, &stranger, password: "of a stranger")
            #expect(refused.status == 422 && refused.text.contains("This invitation no longer works"))
            #expect(stranger.cookies["afterword-session"] == nil)
            // Nor does a session of somebody else, which stays as it is.
            let own = try await TestService.token(of: service.fixture.host, in: service.fixture.store)
            stranger.cookies["afterword-session"] = own
            #expect(try await Self.press(invited, &stranger, password: "of a stranger").status == 422)
            #expect(stranger.cookies["afterword-session"] == own)
            #expect(try await Self.isSignedIn(own, at: service))
        }
    }

    /// A sign-in that could not be judged says nothing about the invitation.
    @Test func secondPressThatIsLimitedSaysSo() async throws {
        try await TestService.withPages { service in
            let invited = try await Invited(Self.email, by: service)
            var browser = PageBrowser(service.anyone)
            _ = try await browser.get(invited.path).expect(200)
            try await Self.press(invited, &browser).expect(303)
            for _ in 0..<10 {
                let body = "{\"email\": \"\(Self.email)\", \"password\": \"wrong\"}"
                try await service.anyone.post("/v1/sessions", json: body).expect(401)
            }
            var other = PageBrowser(service.anyone)
            _ = try await other.get(invited.path).expect(200)
            let limited = try await Self.press(invited, &other)
            #expect(!limited.text.contains("This invitation no longer works"))
            #expect(limited.text.contains("role=\"alert\"") && limited.text.contains("value=\"Dora\""))
        }
    }

    /// The store's own user does not see what other sessions wait for.
    private static func waitForLocks(_ count: Int, in service: TestService) async throws {
        let watching = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            let rows = try await watching.query(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """)
            if try rows.first?.decode(Int.self) ?? 0 >= count { return await watching.close() }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TestStore.Missing("\(count) sessions that wait for a lock")
    }
}
