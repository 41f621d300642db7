import Foundation
import Postgres
import Store
import TestSupport
import Testing

@testable import WebPages

/// The page that asks for the password before a dangerous action, and what happens to the interrupted form.
@Suite(.timeLimit(.minutes(5))) struct Confirmations {
    /// The hidden fields of a page's form.
    private static func hiddenFields(_ page: HTTPTestClient.Response) -> [String: String] {
        page.text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).reduce(into: [:]) {
            fields, match in
            let entities = [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
            fields[String(match.1)] = entities.reduce(String(match.2)) { $0.replacing($1.0, with: $1.1) }
        }
    }

    /// Follows a redirect with 307 as browsers do: with the method and the body of the request.
    private static func resubmit(
        _ response: HTTPTestClient.Response, _ fields: [String: String], by browser: inout PageBrowser
    ) async throws -> HTTPTestClient.Response {
        #expect(response.status == 307)
        return try await browser.post(try #require(response["Location"]), fields)
    }

    private static func confirm(
        _ page: HTTPTestClient.Response, at path: String, with password: String = TestStore.password,
        by browser: inout PageBrowser
    ) async throws -> (response: HTTPTestClient.Response, fields: [String: String]) {
        let fields = hiddenFields(page).merging(["own-password": password]) { $1 }
        let action = "/confirm?next=" + PathQuery.encode(path)
        #expect(page.text.contains("<form class=\"card single\" method=\"post\" action=\"\(action)\""))
        return (try await browser.post(action, fields), fields)
    }

    @Test func typedFieldsAreSubmittedAfterTheConfirmation() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let form = try await host.get("/account").expect(200)
            try await site.fixture.ageSessions()
            let name = "Backups & \"more\" <1>"
            let asked = try await host.post(
                "/account",
                [
                    "act": "token", "token-name": name, "scope": "meetings:read", "days": "30",
                    "key": form.field("key") ?? "",
                ])
            #expect(asked.status == 403 && asked.text.contains("<h1>Confirm your password</h1>"))
            #expect(Self.hiddenFields(asked)["token-name"] == name)
            #expect(asked.text.contains("value=\"host@example.org\" autocomplete=\"username\""))

            let (wrong, _) = try await Self.confirm(asked, at: "/account", with: "not this one", by: &host)
            #expect(wrong.status == 422 && wrong.text.contains("id=\"own-password-fault\">The password is wrong."))
            #expect(Self.hiddenFields(wrong)["token-name"] == name && !wrong.text.contains("not this one"))

            let (right, fields) = try await Self.confirm(wrong, at: "/account", by: &host)
            let done = try await Self.resubmit(right, fields, by: &host)
            #expect(done.status == 200 && done.text.contains("aw_"))
            let tokens = try await site.fixture.store.pool.query("SELECT name FROM token WHERE kind = 'api'")
            #expect(try tokens.map { try $0.decode(String.self) } == [name])
        }
    }

    @Test func accountIsDeletedAfterTheConfirmation() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await host.get("/account").expect(200)
            try await site.fixture.ageSessions()
            let asked = try await host.post("/account", ["act": "leave", "confirm": "host@example.org", "heir": ""])
            #expect(asked.status == 403)
            let (right, fields) = try await Self.confirm(asked, at: "/account", by: &host)
            let gone = try await Self.resubmit(right, fields, by: &host)
            #expect(gone.status == 200)
            #expect(try await host.get("/home").status == 303)
        }
    }

    @Test func adminFormsAreSubmittedAfterTheConfirmation() async throws {
        try await TestSite.run { site in
            var admin = try await site.signedIn("admin@example.org")
            let id = site.fixture.host.account.id.uuidString.lowercased()
            let accounts = "/admin/accounts?q=host"
            let meeting = try await site.openForm(by: admin)
            for (path, fields) in [
                (accounts, ["act": "admin:\(id)"]),
                ("/admin/accounts", ["act": "erase", "email": "nobody@example.org", "sure": "on"]),
                (
                    "/series/\(meeting.seriesID)",
                    ["act": "invite", "email": "new@example.org", "role": "viewer"]
                ),
            ] {
                try await site.fixture.ageSessions()
                try await admin.get(path).expect(200)
                let asked = try await admin.post(path, fields)
                #expect(asked.status == 403 && asked.text.contains("own-password"), "\(path)")
                let (right, confirmed) = try await Self.confirm(asked, at: path, by: &admin)
                let done = try await Self.resubmit(right, confirmed, by: &admin)
                #expect([200, 303].contains(done.status), "\(path): \(done.status)")
            }
            let row = try await site.fixture.store.pool.query(
                """
                SELECT (SELECT role FROM account WHERE email = 'host@example.org'),
                    (SELECT count(*) FROM audit WHERE act = 'person.erase'),
                    (SELECT count(*) FROM invitation WHERE role = 'viewer')
                """
            ).first
            let (role, erasures, invitations) = try #require(try row?.decode(String.self, Int.self, Int.self))
            #expect(role == "admin" && erasures == 1 && invitations == 1)
        }
    }

    @Test func confirmationLeadsToLocalPagesOnly() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            for (next, expected) in [
                ("/account?lang=ko", "/account?lang=ko"), ("//evil.example.org", "/home"),
                ("https://evil.example.org/", "/home"), ("/\\evil.example.org", "/home"), ("/a/../..//x", "/home"),
            ] {
                for fields in [[:], ["resubmit": "on", "act": "leave"]] {
                    let action = "/confirm?next=" + PathQuery.encode(next)
                    let page = try await host.get(action).expect(200)
                    #expect(page.text.contains("<a href=\"\(expected)\">"), "\(next)")
                    let confirmed = try await host.post(
                        action, ["own-password": TestStore.password].merging(fields) { $1 })
                    #expect(confirmed["Location"] == expected, "\(next)")
                    #expect(confirmed.status == (fields.isEmpty || next != expected ? 303 : 307), "\(next)")
                }
            }
            #expect(try await host.get("/confirm").status == 200)
        }
    }

    @Test func otherSitesAndVisitorsConfirmNothing() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await host.get("/confirm?next=/account").expect(200)
            try await site.fixture.ageSessions()
            let body = ["own-password": TestStore.password, "resubmit": "on", "act": "leave"]
            for headers in [["Sec-Fetch-Site": "same-site"], ["Origin": "https://evil.example.org"]] {
                #expect(try await host.post("/confirm?next=/account", body, headers: headers).status == 403)
            }
            let recent = try await site.fixture.store.pool.query(
                "SELECT count(*) FROM token WHERE confirmed_at > now() - interval '15 minutes'")
            #expect(try recent.first?.decode(Int.self) == 0)
            var visitor = PageBrowser(site.client)
            for page in [
                try await visitor.get("/confirm?next=/account"), try await visitor.post("/confirm?next=/account", body),
            ] {
                #expect(page.status == 303 && page["Location"]?.hasPrefix("/sign-in") == true)
            }
        }
    }

    @Test func tooManyWrongPasswordsAreExplained() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await host.get("/confirm?next=/account").expect(200)
            for _ in 0..<10 {
                #expect(try await host.post("/confirm?next=/account", ["own-password": "wrong"]).status == 422)
            }
            let locked = try await host.post("/confirm?next=/account", ["own-password": TestStore.password])
            #expect(locked.status == 429 && locked.text.contains("role=\"alert\""))
        }
    }
}
