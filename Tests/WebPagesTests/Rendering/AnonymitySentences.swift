import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// The texts about anonymity on pages: for participants and for hosts, each with a short form. docs/privacy.md quotes
/// them.
@Suite(.timeLimit(.minutes(5))) struct AnonymitySentences {
    private static let keys = ["anonymity.participant", "anonymity.host"]
    /// The short forms, behind which the texts can be unfolded.
    private static let briefKeys = keys.map { $0 + "-brief" }
    private static func catalogues() throws -> [PageTexts] {
        let folder = Repository.url("Sources/WebPages/Resources")
        return try Language.allCases.map { try PageTexts($0, from: folder) }
    }

    @Test func textsNameTheMinimumGroupInEveryLanguage() throws {
        for texts in try Self.catalogues() {
            for key in Self.keys + Self.briefKeys {
                #expect(texts.find(key)?.contains("{minimum}") == true, "\(key) \(texts.language)")
                #expect(texts(key, ["minimum": "4"]).contains("4"))
            }
        }
    }

    /// Other texts may name the setting or explain groups. They must not say what is stored or deleted.
    @Test func noOtherTextDescribesStorage() throws {
        let named = ["en": "anonym", "ko": "익명", "de": "anonym"]
        let claims = [
            "en": /stored|erased|database|shows? who|nobody can tell|who answered/, "ko": /저장|지워|데이터베이스|알 수 없|알 수 있/,
            "de": /gespeichert|gelöscht|datenbank|zuordnen|wer geantwortet/,
        ]
        for texts in try Self.catalogues() {
            // A language whose words are not listed above is not checked.
            let language = texts.language.rawValue
            guard let name = named[language], let claim = claims[language] else { continue }
            let describingKeys = texts.keys.filter { key in
                let text = texts(key).lowercased()
                return (text.contains(name) || key.contains("anonym")) && text.contains(claim)
            }
            #expect(Set(describingKeys) == Set(Self.keys), "\(texts.language): \(describingKeys)")
            let retiredClaim = texts.language == .english ? "everything that could still show" : "흔적을 완전히 지웁니다"
            #expect(!texts.keys.contains { texts($0).lowercased().contains(retiredClaim) })
        }
    }

    @Test func documentationQuotesTheTexts() throws {
        let file = Repository.url("docs/privacy.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            $0.hasPrefix("> ") ? String($0.dropFirst(2)) : String($0)
        }
        let page = lines.joined(separator: " ")
        for key in Self.keys + Self.briefKeys {
            #expect(page.contains(try Self.catalogues()[0](key, ["minimum": "3"])), "\(key)")
        }
    }

    @Test func pagesShowTheTextsWithTheFormsMinimumGroup() async throws {
        try await TestService.withPages { service in
            let questions = #"[{"key": "a", "kind": "text", "title": "First"}]"#
            let settings = #""identity": "device", "anonymous": true, "minimumGroup": 4"#
            let meeting = try await service.openMeeting(questions, settings: settings)
            let path = "/f/\(meeting.code)"
            let host = try await TestService.token(of: service.fixture.host, in: service.fixture.store)
            for texts in try Self.catalogues() {
                let language = texts.language.rawValue
                let participantText = texts("anonymity.participant", ["minimum": "4"])
                let hostText = texts("anonymity.host", ["minimum": "4"])
                var guest = PageBrowser(service.anyone)
                let form = try await guest.get(path, language: language).expect(200)
                #expect(form.count(participantText) == 1, "\(form.text)")
                #expect(form.count(texts("anonymity.participant-brief", ["minimum": "4"])) == 1)
                try await guest.post(path, ["version": "1", "key": form.field("key") ?? "", "t.a": "one"]).expect(303)
                let sent = try await guest.open(path, language: language)
                #expect(sent.text.contains(texts("sent.receipt")))
                var hostBrowser = PageBrowser(service.anyone)
                hostBrowser.cookies["afterword-session"] = host
                for subpage in ["", "/form"] {
                    let page = try await hostBrowser.get("/meetings/\(meeting.id)\(subpage)", language: language)
                        .expect(200)
                    #expect(page.count(hostText) == 1, "\(subpage) \(language) \(page.text)")
                    #expect(page.count(texts("anonymity.host-brief", ["minimum": "4"])) == 1)
                }
            }
            try await meeting.perform("close").expect(200)
            var hostBrowser = PageBrowser(service.anyone)
            hostBrowser.cookies["afterword-session"] = host
            let closed = try await hostBrowser.get("/meetings/\(meeting.id)").expect(200)
            #expect(closed.text.contains(try Self.catalogues()[0]("anonymity.host", ["minimum": "4"])))
        }
    }

    /// Many people may use one screen for a form that anyone can answer, so the receipt expires after ten minutes.
    @Test func openFormShowsTheLifetimeOfTheReceipt() async throws {
        try await TestService.withPages { service in
            let meeting = try await service.openMeeting(
                #"[{"key": "a", "kind": "text", "title": "First"}]"#, settings: #""identity": "open""#)
            let path = "/f/\(meeting.code)"
            var guest = PageBrowser(service.anyone)
            let form = try await guest.get(path).expect(200)
            try await guest.post(path, ["version": "1", "key": form.field("key") ?? "", "t.a": "one"]).expect(303)
            #expect(try await guest.open(path).text.contains("for ten minutes"))
        }
    }

    @Test func publicFormContainsItsMinimumGroup() async throws {
        try await TestService.withPages { service in
            let question = #"[{"key": "a", "kind": "text", "title": "First"}]"#
            let anonymous = try await service.openMeeting(
                question, settings: #""identity": "device", "anonymous": true, "minimumGroup": 5"#)
            #expect(try await service.anyone.get(anonymous.formPath).json?["minimumGroup"]?.int == 5)
            let named = try await service.openMeeting(question, settings: #""identity": "device""#)
            #expect(try await service.anyone.get(named.formPath).json?["minimumGroup"]?.isNull == true)
        }
    }
}
