import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// A letter is in the language of the account that it is about, or of the account that sends it. If that account has no
/// language, the letter is in the language of the request.
@Suite(.timeLimit(.minutes(15))) struct MailLanguages {
    private static let openSignUp = ServiceOptions(publicURL: "https://feedback.example.org", allowsSignUp: true)
    private static let koreanHeaders = ["Accept-Language": "fr;q=0.9, ko-KR;q=0.8, en;q=0.1"]

    private static func isKorean(_ mail: Mailbox.Mail?) throws -> Bool {
        let mail = try #require(mail)
        let hangul: ClosedRange<Unicode.Scalar> = "\u{AC00}"..."\u{D7A3}"
        let (subject, body) = (mail.subject, mail.body)
        let isKorean = subject.unicodeScalars.contains { hangul.contains($0) }
        #expect(isKorean == body.unicodeScalars.contains { hangul.contains($0) }, "\(mail.kind)")
        return isKorean
    }

    @Test(arguments: [
        ("ko", [:], true), ("ko-KR", ["Accept-Language": "en"], true), ("en", koreanHeaders, false),
        (nil, koreanHeaders, true),
        (nil, ["Accept-Language": "ko;q=0"], false), ("fr", koreanHeaders, true), (nil, [:], false),
    ])
    func personalLinkMailsAreInTheLanguageOfTheHost(
        locale: String?, headers: [String: String], expected: Bool
    ) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "attendee", "title": "T""#)
            try await meeting.add("Ann", "ann@example.org").expect(201)
            try await service.sql(
                "UPDATE account SET locale = \(locale) WHERE id = \(service.fixture.host.account.id)")
            try await service.host.post("\(meeting.path)/form/invitations", headers: headers).expect(202)
            let mail = try await service.mailbox.mails(to: "ann@example.org").first
            #expect(try Self.isKorean(mail) == expected)
            #expect(mail?.body.contains("/f/\(meeting.code)?t=") == true && mail?.subject.hasSuffix(": T") == true)
        }
    }

    /// A language whose catalogue was added needs nothing else.
    @Test(
        arguments: [
            ("de", [:]), ("de-AT", ["Accept-Language": "ko"]), (nil, ["Accept-Language": "de-CH, ko;q=0.5"]),
        ] as [(String?, [String: String])])
    func personalLinkMailsAreInEveryLanguageOfThePages(locale: String?, headers: [String: String]) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "attendee", "title": "T""#)
            try await meeting.add("Ann", "ann@example.org").expect(201)
            try await service.sql(
                "UPDATE account SET locale = \(locale) WHERE id = \(service.fixture.host.account.id)")
            try await service.host.post("\(meeting.path)/form/invitations", headers: headers).expect(202)
            let mail = try await service.mailbox.mails(to: "ann@example.org").first
            #expect(mail?.subject == "Ihr Feedback: T" && mail?.body.contains("Das ist Ihr eigener Link:") == true)
        }
    }

    @Test(arguments: [("ko", [:], true), ("en", koreanHeaders, false), (nil, koreanHeaders, true)])
    func invitationIsInTheLanguageOfTheAdmin(
        locale: String?, headers: [String: String], expected: Bool
    ) async throws {
        try await TestService.run { service in
            try await service.sql(
                "UPDATE account SET locale = \(locale) WHERE id = \(service.fixture.admin.account.id)")
            let json = #"{"email": "new@example.org"}"#
            try await service.admin.post("/v1/invitations", json: json, headers: headers).expect(201)
            let mail = try await service.mailbox.mails(to: "new@example.org").first
            #expect(try Self.isKorean(mail) == expected)
            #expect(mail?.body.contains("/sign-up?invitation=") == true)
        }
    }

    @Test func signUpMailsUseTheLanguageOfTheRequestOrTheAccount() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            let mailbox = service.mailbox
            func signUp(_ email: String, headers: [String: String]) async throws {
                let json = #"{"email": "\#(email)", "name": "N", "password": "a long password"}"#
                try await service.anyone.post("/v1/accounts", json: json, headers: headers).expect(202)
            }
            try await signUp("ko@example.org", headers: Self.koreanHeaders)
            try await signUp("en@example.org", headers: [:])
            let (first, second) = (
                try await mailbox.mails(to: "ko@example.org").last, try await mailbox.mails(to: "en@example.org").last
            )
            #expect(try Self.isKorean(first))
            #expect(try !Self.isKorean(second))
            #expect(try await service.verify(#require(first).token).status == 201)
            // The new account has no language at first. Later its language is English.
            try await signUp("ko@example.org", headers: Self.koreanHeaders)
            let taken = try await mailbox.mails(to: "ko@example.org").last
            #expect(try taken?.kind == "address-taken" && Self.isKorean(taken))
            try await service.sql("UPDATE account SET locale = 'en' WHERE email = 'ko@example.org'")
            try await signUp("ko@example.org", headers: Self.koreanHeaders)
            #expect(try await !Self.isKorean(mailbox.mails(to: "ko@example.org").last))
        }
    }

    @Test func passwordMailsAreInTheAccountsLanguage() async throws {
        try await TestService.run { service in
            try await service.sql("UPDATE account SET locale = 'ko' WHERE email = 'host@example.org'")
            for (email, expected) in [("host@example.org", true), ("other@example.org", false)] {
                try await service.anyone.post("/v1/password-resets", json: #"{"email": "\#(email)"}"#).expect(202)
                let token = try await service.mailbox.token(to: email)
                let body = #"{"password": "a brand new one"}"#
                #expect(try await service.anyone.put("/v1/password-resets/\(token)", json: body).status == 204)
                let mails = try await service.mailbox.mails(to: email)
                #expect(mails.map(\.kind) == ["password-reset", "password-changed"])
                for mail in mails { #expect(try Self.isKorean(mail) == expected, "\(mail.kind)") }
            }
        }
    }
}
