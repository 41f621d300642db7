import HTTPAPI
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// The pages with forms for accounts and passwords state their requirements and explain refusals.
@Suite(.timeLimit(.minutes(5))) struct AccountForms {
    private static let invitationNotice = "You need an invitation to create an account here."

    @Test func signUpStatesThatAnInvitationIsRequired() async throws {
        try await TestService.withPages { service in
            var browser = PageBrowser(service.anyone)
            let page = try await browser.get("/sign-up").expect(200)
            let form = page.text.firstRange(of: "<form class=\"card\"")?.lowerBound ?? page.text.endIndex
            #expect(page.text[..<form].contains(Self.invitationNotice), "\(page.text)")
            #expect(page.text.contains(">Invitation code (required)</label>"))
            #expect(page.text.contains("id=\"invitation\" name=\"invitation\"") && page.count(" required") >= 1)
            #expect(!page.text.contains("if you have one"))
            let refused = try await browser.post("/sign-up", ["name": "Dora", "email": "dora@example.org"])
            #expect(refused.status == 422 && refused.text.contains("id=\"invitation-fault\""))
            #expect(refused.text.contains("value=\"Dora\""))
            let empty = try await browser.post("/sign-up")
            for field in ["name", "email", "invitation"] {
                #expect(empty.text.contains("id=\"\(field)-fault\""), "\(field)")
            }
            // With an invitation link, the page does not ask for the code.
            let invited = try await browser.get("/sign-up?invitation=abc").expect(200)
            #expect(!invited.text.contains(Self.invitationNotice))
        }
    }

    @Test func invitationIsOptionalIfAnyoneMaySignUp() async throws {
        try await TestService.withPages(options: ServiceOptions(allowsSignUp: true)) { service in
            var browser = PageBrowser(service.anyone)
            let page = try await browser.get("/sign-up").expect(200)
            #expect(!page.text.contains(Self.invitationNotice))
            #expect(page.text.contains("Invitation code (if you have one)"))
        }
    }

    @Test func resultsByMailAreTurnedOnAndOff() async throws {
        for sendsMail in [true, false] {
            try await TestService.withPages(sendsMail: sendsMail) { service in
                var browser = PageBrowser(service.anyone)
                try await browser.get("/sign-in").expect(200)
                try await browser.post(
                    "/sign-in", ["email": "host@example.org", "password": TestStore.password]
                ).expect(303)
                for (fields, isOn) in [(["at-close": "true"], true), ([:], false)] {
                    let before = try await browser.get("/account").expect(200)
                    #expect(before.text.contains("This service does not send e-mail at the moment.") != sendsMail)
                    let tag = try #require(before.field("tag")?.replacing("&quot;", with: "\""))
                    try await browser.post(
                        "/account", ["act": "mails", "tag": tag].merging(fields) { $1 }
                    ).expect(303)
                    let after = try await browser.get("/account").expect(200).text
                    #expect(after.contains("aria-describedby=\"mails-hint\" checked>") == isOn, "\(after)")
                    #expect(try await service.host.get("/v1/me").json?["mailsAtClose"] == .bool(isOn))
                }
            }
        }
    }

    @Test func weakPasswordIsExplainedAtItsField() async throws {
        try await TestService.withPages { service in
            var browser = PageBrowser(service.anyone)
            try await browser.get("/sign-in").expect(200)
            try await browser.post(
                "/sign-in", ["email": "host@example.org", "password": TestStore.password]
            ).expect(303)
            for (password, sentence) in [
                ("          ", "Spaces alone are not enough."), ("host@example.org", "This is your own address"),
                ("password12", "This is one of the most common passwords"),
            ] {
                try await browser.get("/account").expect(200)
                let refused = try await browser.post(
                    "/account", ["act": "password", "tag": "*", "old": TestStore.password, "new": password])
                #expect(refused.status == 422, "\(password)")
                #expect(refused.text.contains("id=\"new-fault\">\(sentence)"), "\(password)")
            }
        }
    }

    @Test func forgottenPasswordPageWithoutMailNamesTheCommandForAdmins() async throws {
        try await TestService.withPages(sendsMail: false) { service in
            var browser = PageBrowser(service.anyone)
            for language in Language.allCases.map(\.rawValue) {
                let page = try await browser.get("/forgot", language: language).expect(200)
                #expect(page.count("<form class=\"card\"") == 0, "\(page.text)")
                #expect(page.text.contains("afterword account reset-password"))
                #expect(page.text.contains("href=\"/sign-in\""))
                #expect(!page.text.contains("We will send"))
            }
        }
        try await TestService.withPages { service in
            var browser = PageBrowser(service.anyone)
            let page = try await browser.get("/forgot").expect(200)
            #expect(page.count("<form class=\"card\"") == 1 && page.text.contains("We will send a link"))
        }
    }
}
