import Postgres
import Store
import TestSupport
import Testing

@testable import WebPages

/// Sign-in and sign-out end the previous session. A confirmation or a new password replaces the token of a session.
@Suite(.timeLimit(.minutes(5))) struct ReplacedTokens {
    /// Whether a token is still valid after the ten seconds during which pending requests may use a replaced token.
    private static func isValid(_ token: String, _ site: TestSite) async throws -> Bool {
        try await site.fixture.store.pool.execute("UPDATE token SET replaced_at = replaced_at - interval '11 seconds'")
        return try await site.client.bearing(token).get("/v1/me").status == 200
    }

    @Test func signInEndsTheSessionThatTheBrowserHad() async throws {
        try await TestSite.run { site in
            var browser = try await site.signedIn()
            let elsewhere = try await site.signedIn()
            let before = try browser.session
            try await browser.get("/sign-in").expect(200)
            let wrong = try await browser.post("/sign-in", ["email": "admin@example.org", "password": "wrong"])
            #expect(wrong.status == 401)
            #expect(try await Self.isValid(before, site), "a failed sign-in ends nothing")
            try await browser.post("/sign-in", ["email": "admin@example.org", "password": TestStore.password])
                .expect(303)
            #expect(try browser.session != before)
            #expect(try await !Self.isValid(before, site))
            #expect(try await Self.isValid(browser.session, site))
            #expect(try await Self.isValid(elsewhere.session, site), "other browsers stay signed in")
        }
    }

    @Test func signOutClearsTheCacheOfTheBrowser() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let session = try host.session
            try await host.get("/home").expect(200)
            let refused = try await host.post("/sign-out", ["csrf": "x"]).expect(303)
            #expect(refused["Clear-Site-Data"] == nil)
            let out = try await host.post("/sign-out").expect(303)
            #expect(out["Clear-Site-Data"] == #""cache""#)
            #expect(try await !Self.isValid(session, site))
        }
    }

    @Test func replacedTokenIsNotConfirmed() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let before = site.client.bearing(try host.session)
            try await host.get("/confirm?next=/home").expect(200)
            try await host.post("/confirm?next=/home", ["own-password": TestStore.password]).expect(303)
            let token = #"{"name": "t", "scopes": ["meetings:read"], "expiresAt": "2031-01-01T00:00:00Z"}"#
            try await before.get("/v1/me").expect(200)
            let refused = try await before.post("/v1/tokens", json: token)
            #expect(refused.status == 403 && refused.problem == "reauthentication-required")
            try await site.client.bearing(try host.session).post("/v1/tokens", json: token).expect(201)
        }
    }

    @Test func confirmationReplacesTheTokenAndKeepsOpenForms() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await host.get("/account").expect(200)
            let (before, openForm) = (try host.session, host.token)
            try await host.get("/confirm?next=/home").expect(200)
            try await host.post("/confirm?next=/home", ["own-password": TestStore.password]).expect(303)
            #expect(try host.session != before)
            #expect(try await !Self.isValid(before, site))
            let fields = [
                "csrf": openForm, "act": "profile", "tag": "*", "name": "Hanna", "locale": "", "timeZone": "",
            ]
            try await host.post("/account", fields).expect(303)
            let another = try await site.signedIn("admin@example.org")
            #expect(try await host.post("/account", fields.merging(["csrf": another.token]) { $1 }).status == 403)
        }
    }

    @Test func newPasswordReplacesTheToken() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await host.get("/account").expect(200)
            let before = try host.session
            try await host.post(
                "/account", ["act": "password", "tag": "*", "old": TestStore.password, "new": "an even better one"]
            ).expect(303)
            #expect(try host.session != before)
            #expect(try await !Self.isValid(before, site))
            try await host.get("/account").expect(200)
        }
    }
}
