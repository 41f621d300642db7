import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// Saved templates on pages: beginning a meeting or a form with one, renaming and deleting them.
@Suite(.timeLimit(.minutes(15))) struct TemplatesOnPages {
    private static let settings = #""identity": "open", "anonymous": true, "minimumGroup": 7, "intro": "Thanks <b>""#

    /// A host with a template that was saved from a meeting's form. Returns the template's id.
    private static func saved(_ host: inout PageBrowser, _ site: TestSite, name: String = "Our <b> retro") async throws
        -> String
    {
        let meeting = try await site.openForm(by: host, settings: settings)
        let path = "/meetings/\(meeting.id)/template"
        try await host.get(path).expect(200)
        try await host.post(path, ["name": name]).expect(303)
        let list = try await host.get("/templates").expect(200)
        return try #require(list.text.firstMatch(of: /home\?template=([0-9a-f-]{36})/)).1.description
    }

    @Test func meetingBeginsWithASavedTemplate() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let id = try await Self.saved(&host, site)
            let home = try await host.get("/home?template=\(id)").expect(200)
            #expect(home.text.contains(#"<option value="\#(id)" selected>Our &lt;b&gt; retro</option>"#))
            let made = try await host.post("/home", ["title": "New", "template": id]).expect(303)
            let path = try #require(made["Location"])
            let api = site.client.bearing(try host.session)
            let form = try await api.get("/v1\(path)/form").expect(200)
            let definition = try #require(form.json)
            #expect(definition["title"]?.string == "New", "the title of the first meeting is not part of the template")
            #expect(definition["identity"]?.string == "open" && definition["minimumGroup"]?.int == 7)
            #expect(definition["intro"]?.string == "Thanks <b>" && definition["questions"]?.array?.count == 3)
        }
    }

    @Test func emptyFormBeginsWithASavedTemplate() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let id = try await Self.saved(&host, site)
            let made = try await host.post("/home", ["title": "Empty", "template": "empty"]).expect(303)
            let path = try #require(made["Location"])
            let empty = try await host.get(path).expect(200)
            #expect(empty.text.contains(#"value="begin:\#(id)">Our &lt;b&gt; retro</button>"#))
            let begun = try await host.post(path, ["act": "begin:\(id)"]).expect(200)
            #expect(begun.text.contains(#"name="q2.kind""#) && begun.text.contains("Thanks &lt;b&gt;"))
            let forged = try await host.post(path, ["act": "begin:00000000-0000-0000-0000-000000000000"]).expect(200)
            #expect(!forged.text.contains(#"name="q0.kind""#))
        }
    }

    @Test func templateThatIsGoneIsReportedAndTheTitleKept() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await host.get("/home").expect(200)
            let refused = try await host.post(
                "/home", ["title": "Typed", "template": "00000000-0000-0000-0000-000000000000"])
            #expect(refused.status == 422 && refused.text.contains("no longer exists"))
            #expect(refused.text.contains(#"value="Typed""#))
        }
    }

    @Test func templateIsRenamedAndDeletedByItsOwner() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let id = try await Self.saved(&host, site)
            let blank = try await host.post("/templates", ["template": id, "act": "rename", "name": " "])
            #expect(blank.status == 422 && blank.text.contains("aria-invalid"))
            let long = String(repeating: "x", count: 101)
            let refused = try await host.post("/templates", ["template": id, "act": "rename", "name": long])
            #expect(refused.status == 422 && refused.text.contains(long), "what was typed is kept")
            try await host.post("/templates", ["template": id, "act": "rename", "name": "Renamed"]).expect(303)
            #expect(try await host.get("/templates").text.contains("<h2>Renamed</h2>"))
            var admin = try await site.signedIn("admin@example.org")
            #expect(try await admin.get("/templates").text.contains(#"value="delete""#))
            try await host.post("/templates", ["template": id, "act": "delete"]).expect(303)
            #expect(try await host.get("/templates").text.contains("No templates yet"))
            #expect(try await host.post("/templates", ["template": id, "act": "delete"]).status == 404)
        }
    }

    @Test func templateOfAnotherHostIsOfferedButNotChanged() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let id = try await Self.saved(&host, site)
            _ = try await TestStore.account("other@example.org", "Otto Other", .host, in: site.fixture.store)
            var other = try await site.signedIn("other@example.org")
            let list = try await other.get("/templates").expect(200)
            #expect(list.text.contains("Hanna Host") && !list.text.contains(#"value="rename""#))
            #expect(try await other.get("/home").text.contains(id))
            let refused = try await other.post("/templates", ["template": id, "act": "delete"])
            #expect(refused.status == 403)
        }
    }

    @Test func limitOfTemplatesIsReported() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            try await site.fixture.store.pool.execute(
                """
                INSERT INTO saved_template (id, owner_id, name, definition)
                SELECT gen_random_uuid(), \(site.fixture.host.account.id), 'T' || n, '{"questions": []}'
                FROM generate_series(1, 100) n
                """)
            let path = "/meetings/\(meeting.id)/template"
            try await host.get(path).expect(200)
            let refused = try await host.post(path, ["name": "One more"])
            #expect(refused.status == 422 && refused.text.contains("largest number of templates"))
            let first = try await host.get("/templates").expect(200)
            #expect(first.count("<h2>") == 50 && first.text.contains("cursor="))
            #expect(try await host.get("/home").count("<option value") <= 60)
        }
    }
}
