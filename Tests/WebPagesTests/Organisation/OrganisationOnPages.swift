import Domain
import Foundation
import Store
import TestSupport
import Testing

@testable import WebPages

/// The organisation's name, logo and accent colour, from the admins' page to all other pages.
@Suite(.timeLimit(.minutes(5))) struct OrganisationOnPages {
    private static let path = "/admin/organisation"

    @Test func nameIsOnThePagesOfHostsAndParticipants() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let paths = ["/home", "/f/\(meeting.code)", "/", "/sign-in", "/docs"]
            var guest = PageBrowser(site.client)
            for path in paths { #expect(try await guest.open(path).count("organisation-name") == 0, "\(path)") }
            var admin = try await site.signedIn("admin@example.org")
            try await admin.get(Self.path).expect(200)
            try await admin.upload(Self.path, ["name": " <b>Café & Verein</b> ", "act": "save"]).expect(303)
            let name = #"<span class="organisation-name">&lt;b&gt;Café &amp; Verein&lt;/b&gt;</span>"#
            for path in paths {
                let page = path == "/home" ? try await host.get(path) : try await guest.open(path)
                #expect(page.count(name) == 1, "\(path) \(page.text)")
            }
            #expect(try await host.get("/meetings/\(meeting.id)/stage").expect(200).count("guest-bar") == 0)
            #expect(try await guest.get("/nothing").expect(404).count(name) == 1)
        }
    }

    @Test func logoIsServedPermanentlyAtAnAddressWithItsDigest() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            var admin = try await site.signedIn("admin@example.org")
            try await admin.get(Self.path).expect(200)
            let fields = ["name": "Verein", "act": "save"]
            try await admin.upload(Self.path, fields, file: ("logo", try SamplePictures.png)).expect(303)
            let page = try await admin.get("/home").expect(200)
            let image = /<img class="organisation-logo" src="([^"]*\.png)" alt="Verein" width="43" height="32">/
            let tag = try #require(page.text.firstMatch(of: image))
            let logo = try await site.client.get(String(tag.1)).expect(200)
            #expect(logo["Content-Type"] == "image/png" && logo["Cache-Control"]?.contains("immutable") == true)
            #expect(logo["X-Content-Type-Options"] == "nosniff" && logo["Set-Cookie"] == nil)
            #expect(try logo.body.starts(with: [0x89, 0x50]) && logo.body != SamplePictures.png)
            var guest = PageBrowser(site.client)
            #expect(try await guest.get("/f/\(meeting.code)").count(String(tag.1)) == 1)
            // Pages that were made before a change can still load their logo.
            try await admin.get(Self.path).expect(200)
            try await admin.upload(Self.path, ["name": "Verein", "act": "remove-logo"]).expect(303)
            #expect(try await admin.get("/home").count("organisation-logo") == 0)
            try await site.client.get(String(tag.1)).expect(200)
            try await site.client.get("/static/organisation-AAAAAAAAAAAA.png").expect(404)
        }
    }

    @Test func filesThatAreNoLogoAreRefusedWithTheReason() async throws {
        try await TestSite.run { site in
            var admin = try await site.signedIn("admin@example.org")
            try await admin.get(Self.path).expect(200)
            let script = Array("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8)
            let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            for bytes in [script, signature + script, try SamplePictures.webp, Array("GIF89a".utf8)] {
                let page = try await admin.upload(Self.path, ["name": "Kept", "act": "save"], file: ("logo", bytes))
                #expect(page.status == 422 && page.text.contains("not a complete PNG or JPEG"), "\(page.text)")
                #expect(page.text.contains(#"value="Kept""#) && page.text.contains("id=\"logo-fault\""))
            }
            let large = try await admin.upload(
                Self.path, ["act": "save"], file: ("logo", [UInt8](repeating: 0, count: 3 * 1024 * 1024)))
            #expect(large.status == 413 && large.text.contains("at most 2 MiB"))
            #expect(try await site.fixture.store.organisations.read().revision == 1, "nothing was stored")
        }
    }

    @Test func accentColorIsAStylesheetOfItsOwn() async throws {
        try await TestSite.run { site in
            var admin = try await site.signedIn("admin@example.org")
            try await admin.get(Self.path).expect(200)
            try await admin.upload(Self.path, ["accent": "#FFD200", "act": "save"]).expect(303)
            let page = try await admin.get(Self.path).expect(200)
            let link = try #require(page.text.firstMatch(of: /href="(\/static\/organisation-[\w-]+\.css)"/))
            let style = try await site.client.get(String(link.1)).expect(200)
            let shades = AccentShades(of: try #require(AccentColor("#ffd200")))
            #expect(style["Content-Type"]?.hasPrefix("text/css") == true)
            #expect(style["Cache-Control"]?.contains("immutable") == true)
            #expect(style.text.contains("--strong: \(shades.light.strong.hex);"))
            #expect(style.text.contains("--strong: \(shades.dark.strong.hex);"))
            #expect(page.text.contains(shades.light.strong.hex), "the page names the shade")
            #expect(page.text.contains("the contrast of #ffd200 is too low (1.4 to 1"))
            #expect(page["Content-Security-Policy"]?.contains("style-src 'self';") == true)
            #expect(page.count("style=") == 0)
        }
    }

    @Test func accentColorThatIsNoneIsRefused() async throws {
        try await TestSite.run { site in
            var admin = try await site.signedIn("admin@example.org")
            try await admin.get(Self.path).expect(200)
            for color in ["red", "#12345", "#fff;} body{display:none", "url(x)"] {
                let page = try await admin.upload(Self.path, ["accent": color, "act": "save"]).expect(422)
                #expect(page.text.contains("such as #0b6e4f"))
            }
            let name = String(repeating: "n", count: 61)
            #expect(try await admin.upload(Self.path, ["name": name, "act": "save"]).status == 422)
        }
    }

    /// Without scripts, the picker and the text do not follow each other. What was changed counts.
    @Test func pickedColorCountsIfTheTextIsUnchanged() async throws {
        try await TestSite.run { site in
            var admin = try await site.signedIn("admin@example.org")
            func stored() async throws -> String? { try await site.fixture.store.organisations.read().accent?.hex }
            let inputs: [(accent: String, picked: String, result: String?)] = [
                ("", "#3452b4", nil), ("", "#0b6e4f", "#0b6e4f"), ("#0b6e4f", "#0b6e4f", "#0b6e4f"),
                ("#0b6e4f", "#a00000", "#a00000"), ("#00a000", "#a00000", "#00a000"), ("", "#00a000", nil),
            ]
            for (accent, picked, result) in inputs {
                let page = try await admin.get(Self.path).expect(200)
                let fields = ["stored": page.field("stored") ?? "", "shown": page.field("shown") ?? ""]
                let typed = ["accent": accent, "picked": picked, "act": "save"]
                try await admin.upload(Self.path, fields.merging(typed) { $1 }).expect(303)
                #expect(try await stored() == result, "\(accent) \(picked)")
            }
        }
    }

    @Test func onlyAdminsOpenOrChangeIt() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await host.get("/home").expect(200)
            #expect(try await host.get(Self.path).status == 403)
            #expect(try await host.upload(Self.path, ["name": "V", "act": "save"]).status == 403)
            var guest = PageBrowser(site.client)
            #expect(try await guest.get(Self.path)["Location"]?.hasPrefix("/sign-in") == true)
            var admin = try await site.signedIn("admin@example.org")
            #expect(try await admin.upload(Self.path, ["csrf": "x", "name": "V", "act": "save"]).status == 403)
            #expect(try await site.fixture.store.organisations.read().name == nil)
        }
    }

    /// The shades are computed for the backgrounds that the stylesheet has.
    @Test func stylesheetHasTheBackgroundsOfTheShades() throws {
        let url = Repository.url("Sources/WebPages/Resources/static/afterword.css")
        let text = try String(contentsOf: url, encoding: .utf8)
        let roots = text.split(separator: ":root {").dropFirst().map { String($0.prefix { $0 != "}" }) }
        for (root, backgrounds) in zip(roots, [AccentShades.Backgrounds.light, .dark]) {
            for (token, color) in [
                ("back", backgrounds.back), ("card", backgrounds.card), ("warm", backgrounds.warm),
                ("on-strong", backgrounds.onStrong),
            ] {
                #expect(root.contains("--\(token): \(color.hex);"), "\(token)")
            }
        }
    }
}
