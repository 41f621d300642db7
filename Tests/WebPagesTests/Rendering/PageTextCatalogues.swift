import Contract
import Domain
import Foundation
import TestSupport
import Testing

@testable import WebPages

/// Every language has all texts, and pages use only texts that exist.
@Suite struct PageTextCatalogues {
    private static let sources = Repository.url("Sources/WebPages")

    private static func catalogues() throws -> [PageTexts] {
        try Language.allCases.map { try PageTexts($0, from: sources.appendingPathComponent("Resources")) }
    }

    private static func files(_ ending: String) throws -> [(name: String, text: String)] {
        let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(ending) }.map {
            ($0, try String(contentsOf: sources.appendingPathComponent($0), encoding: .utf8))
        }
    }

    @Test func allLanguagesHaveTheSameTexts() throws {
        let catalogues = try Self.catalogues()
        for catalogue in catalogues {
            let file = "\(catalogue.language.rawValue).json"
            let missing = catalogues[0].keys.subtracting(catalogue.keys)
            #expect(missing.sorted() == [], "missing in \(file)")
            #expect(catalogue.keys.subtracting(catalogues[0].keys).sorted() == [], "in \(file) only")
            for key in catalogues[0].keys.subtracting(missing) {
                #expect(catalogue.forms(of: key).allSatisfy { !$0.isEmpty }, "\(key) in \(file)")
                #expect(Self.placeholders(key, catalogue) == Self.placeholders(key, catalogues[0]), "\(key) in \(file)")
            }
        }
    }

    private static func placeholders(_ key: String, _ texts: PageTexts) -> Set<String> {
        Set(texts.forms(of: key).flatMap { $0.matches(of: /\{([a-z]+)\}/).map { String($0.1) } })
    }

    @Test func textsHaveTypographicQuotationMarks() throws {
        for texts in try Self.catalogues() {
            for key in texts.keys {
                for text in texts.forms(of: key) {
                    #expect(text.firstRange(of: #/["']|  /#) == nil, "\(texts.language) \(key)")
                    if texts.language == .german { #expect(!text.contains("”"), "\(key)") }
                }
            }
        }
    }

    @Test func oneHasItsOwnForm() throws {
        let catalogues = try Self.catalogues()
        let expected = ["en": ("1 answer", "21 answers"), "ko": ("답 1개", "답 21개"), "de": ("1 Antwort", "21 Antworten")]
        for texts in catalogues {
            guard let (one, many) = expected[texts.language.rawValue] else { continue }
            #expect(texts.answers(1) == one && texts.answers(21) == many)
        }
        #expect(Notice.text("is=mailed&count=1", catalogues[0]) == "1 e-mail is on its way.")
        #expect(Notice.text("is=mailed&count=2", catalogues[0]) == "2 e-mails are on their way.")
    }

    @Test func filledInTextsAreNotExpandedAgain() throws {
        let values = ["first": "{second} {share}", "second": "{first} {share}", "share": "{first} {second}"]
        for texts in try Self.catalogues() {
            let parts = texts("charts.two-first").split(separator: #/\{[a-z]+\}/#, omittingEmptySubsequences: false)
            try #require(parts.count == 4)
            let expected = "\(parts[0]){second} {share}\(parts[1]){first} {share}\(parts[2]){first} {second}\(parts[3])"
            #expect(texts("charts.two-first", values) == expected)
        }
    }

    @Test func placeholderWithoutAValueRemains() throws {
        for texts in try Self.catalogues() {
            #expect(texts("charts.two-first", ["other": "x"]) == texts("charts.two-first"))
        }
    }

    @Test(arguments: [
        ("", ""), ("no name", "no name"), ("{a}", "1"), ("{a}{b} {a}", "1{a} 1"), ("{", "{"), ("}{", "}{"),
        ("{}", "{}"), ("{A} {a1} {a b} {a", "{A} {a1} {a b} {a"), ("{{a}}", "{1}"), ("{c}é{a}", "{c}é1"),
        ("{a{a}", "{a1"),
    ])
    func placeholdersAreLowerCaseNamesInBraces(_ text: String, _ expected: String) throws {
        let texts = try Self.catalogues()[0]
        let values = ["a": "1", "b": "{a}"]
        // A key without a text is itself used as the text.
        #expect(texts(text, values) == expected)
        let matched = text.replacing(/\{([a-z]+)\}/) { values[String($0.1)] ?? "" }
        #expect(texts.fill(text) { values[$0] } == matched)
    }

    @Test func templatesUseOnlyExistingTexts() throws {
        let known = try Self.catalogues()[0].keys
        for file in try Self.files(".mustache") {
            for use in file.text.matches(of: /\{\{t\.([a-z-]+\.[a-z-]+)\}\}/) {
                #expect(known.contains(String(use.1)), "\(file.name)")
            }
        }
    }

    @Test func pagesUseOnlyExistingTexts() throws {
        let known = try Self.catalogues()[0].keys
        for file in try Self.files(".swift") {
            for use in file.text.matches(of: /texts\("([a-z-]+\.[A-Za-z-]+)"/) {
                #expect(known.contains(String(use.1)), "\(file.name)")
            }
            for use in file.text.matches(of: /\.done\(\s*"([a-z-]+)"/) {
                #expect(known.contains("done.\(use.1)"), "\(file.name)")
            }
        }
        // Keys that are composed at run time.
        for letter in [
            "verification", "address-taken", "password-reset", "password-changed", "form-link", "host-invitation",
        ] { #expect(known.contains("mail.\(letter)-subject") && known.contains("mail.\(letter)-body")) }
        #expect(known.contains("mail.form-link-answered"))
        for results in ["never", "afterSubmission", "afterClose", "always"] {
            #expect(known.contains("form.results-\(results)"))
        }
        for text in ["title", "sign-up", "forgot", "invite", "listed"] {
            #expect(known.contains("unmailed.\(text)"))
        }
        for text in ["title", "text", "send", "offer", "sign-up", "ask", "mailed", "unsent"] {
            #expect(known.contains("invited.\(text)"))
        }
        for page in ["sign-up", "verify", "forgot", "reset"] {
            for text in ["title", "text", "send", "done", "next"] { #expect(known.contains("\(page).\(text)")) }
        }
        for name in [
            "identity", "minimumGroup", "showResults", "oneByOne", "graceMinutes", "autoPublish", "cap", "opens",
            "closes",
        ] {
            #expect(known.contains("builder.\(name)-hint"))
        }
        #expect(known.contains("builder.minimumGroup-raised"))
        for state in ["draft", "scheduled", "open", "closed", "final"] { #expect(known.contains("state.\(state)")) }
        for template in FormTemplate.allCases {
            #expect(known.contains("template.\(template.rawValue)"))
            for texts in try Self.catalogues() {
                for question in template.questions(texts) {
                    let labels = (question.options ?? []).map(\.label) + [question.minLabel, question.maxLabel]
                    for text in labels + [question.title] {
                        #expect(text?.hasPrefix("template.") != true, "\(question.key)")
                    }
                }
            }
        }
        let choices = [
            "identity": ["open", "device", "attendee"], "kind": ["rating", "nps", "choice", "text"],
            "shows": ["never", "afterSubmission", "afterClose", "always"], "mode": MomentField.modes,
            "unit": MomentField.units.map(\.name), "moment": ["mode", "at", "amount", "unit"],
            "q": [
                "title", "description", "required", "min", "max", "minLabel", "maxLabel", "multiple", "other",
                "minSelections", "maxSelections", "maxLength", "lines",
            ],
            "said": [
                "moved", "removed", "copied", "added", "begun", "option-added", "option-removed", "option-moved",
                "removed-answered", "restored", "option-restored", "options-added", "folded", "unfolded",
            ],
            "fixed": ["answers", "published"], "option": ["up", "down", "remove"],
        ]
        for unit in RoundRepetition.units { #expect(known.contains("series.unit-\(unit.name)")) }
        for (group, names) in choices {
            for name in names { #expect(known.contains("builder.\(group)-\(name)")) }
        }
        for name in [
            "intro", "identity", "anonymous", "minimumGroup", "showResults", "cap", "opens", "closes", "graceMinutes",
            "autoPublish", "oneByOne", "up", "down", "copy", "remove",
        ] { #expect(known.contains("builder.\(name)")) }
        for advice in [
            "many-questions", "all-required", "group-never", "group-few", "closes-before-opens", "closes-past",
            "opens-undated", "closes-undated", "publishes-undated", "required-text", "asks-who", "no-labels",
            "one-option", "same-option", "nobody-listed",
        ] { #expect(known.contains("advice.\(advice)")) }
        for name in MeetingSheet.names where name != "title" { #expect(known.contains("details.\(name)")) }
        let administration = [
            "accounts", "invitations", "audit", "health", "exports", "state-active", "state-disabled", "state-deleted",
            "role-host", "role-admin", "make-host", "make-admin", "make-enable", "make-disable", "erase-email",
            "erase-heir", "invite-email", "invite-note", "invite-expiresAt", "invitation-open", "invitation-spent",
            "invitation-expired", "export-what", "export-format", "export-from", "export-to",
            "fact-program", "fact-version", "storage-database", "storage-postgres", "storage-meetings",
            "storage-submissions", "storage-outbox", "storage-deliveries",
        ]
        for name in administration { #expect(known.contains("admin.\(name)"), "\(name)") }
        for weakness in PasswordRules.Weakness.allCases { #expect(known.contains("fault.\(weakness.rawValue)")) }
        for act in AuditActions.all { #expect(known.contains("audit-act.\(act)"), "\(act)") }
        for field in ["name", "email", "password", "invitation", "invitation-needed", "token"] {
            #expect(known.contains("account.\(field)"))
        }
        for tab in MeetingTab.allCases.map(\.rawValue) + SeriesTab.allCases.map(\.rawValue) {
            #expect(known.contains("tabs.\(tab)"))
        }
        for part in ["buttons", "fields", "questions", "results", "lists"] {
            #expect(known.contains("components.\(part)"))
        }
        for place in ["home", "calendar", "series", "account", "admin"] { #expect(known.contains("bar.\(place)")) }
        for name in [
            "promoters", "passives", "detractors", "rows", "columns", "since", "since-higher", "since-lower",
            "since-alike",
            "not-found", "not-found-hidden", "comparison-unknown", "filter-unknown",
        ] { #expect(known.contains("charts.\(name)")) }
        for name in ["none-yet", "too-few", "shown-so-far", "changes-held"] {
            #expect(known.contains("results.\(name)"))
        }
        for change in WordingChanges.described { #expect(known.contains("charts.changed-\(change)")) }
        for name in ["summary", "questions", "submissions", "answers"] {
            #expect(known.contains("charts.export-\(name)"))
        }
        for change in SeriesTrends.described { #expect(known.contains("series.change-\(change)")) }
        for role in ["owner", "editor", "viewer"] { #expect(known.contains("series.role-\(role)")) }
        for text in ["expected", "present", "late", "absent"] { #expect(known.contains("people.\(text)")) }
        for text in [
            "form-publish", "form-close", "form-reopen", "form-finish", "round-made", "rounds-made", "picture-saved",
            "picture-removed",
        ] { #expect(known.contains("done.\(text)")) }
        for scope in OwnAccountPages.scopes {
            #expect(known.contains("own.scope-\(scope.replacing(":", with: "-"))"))
        }
        for who in ["named", "unnamed"] { #expect(known.contains("form.who-\(who)")) }
        for status in ["present", "late", "absent", "expected"] { #expect(known.contains("check-in.\(status)")) }
        for status in ["present", "late", "absent", "expected", "unlisted"] {
            #expect(known.contains("person.\(status)"))
        }
    }
}
