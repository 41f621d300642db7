import Contract
import Foundation
import Testing

@testable import WebPages

/// Every language says everything, and nothing is asked for that no catalogue has.
@Suite struct PageTextCatalogues {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/WebPages")

    private static func catalogues() throws -> [PageTexts] {
        try Language.allCases.map { try PageTexts($0, from: sources.appendingPathComponent("Resources")) }
    }

    private static func files(_ ending: String) throws -> [(name: String, text: String)] {
        let all = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        return try all.filter { $0.hasSuffix(ending) }.map {
            ($0, try String(contentsOf: sources.appendingPathComponent($0), encoding: .utf8))
        }
    }

    @Test func haveTheSameTextsInEveryLanguage() throws {
        let all = try Self.catalogues()
        for catalogue in all { #expect(catalogue.keys == all[0].keys, "\(catalogue.language)") }
        for key in all[0].keys {
            let names = all.map { texts in
                Set(texts(key).matches(of: /\{([a-z]+)\}/).map { String($0.1) })
            }
            #expect(Set(names).count == 1, "\(key) is filled in otherwise")
            #expect(all.allSatisfy { !$0(key).isEmpty })
        }
    }

    @Test func haveWhatTemplatesSay() throws {
        let known = try Self.catalogues()[0].keys
        for file in try Self.files(".mustache") {
            for use in file.text.matches(of: /\{\{t\.([a-z-]+\.[a-z-]+)\}\}/) {
                #expect(known.contains(String(use.1)), "\(file.name)")
            }
        }
    }

    @Test func haveWhatPagesSay() throws {
        let known = try Self.catalogues()[0].keys
        for file in try Self.files(".swift") {
            for use in file.text.matches(of: /texts\("([a-z-]+\.[A-Za-z-]+)"/) {
                #expect(known.contains(String(use.1)), "\(file.name)")
            }
        }
        // Those that are put together.
        for results in ["never", "afterSubmission", "afterClose", "always"] {
            #expect(known.contains("form.results-\(results)"))
        }
        for page in ["sign-up", "verify", "forgot", "reset"] {
            for text in ["title", "text", "send", "done", "next"] { #expect(known.contains("\(page).\(text)")) }
        }
        for state in ["draft", "scheduled", "open", "closed", "final"] { #expect(known.contains("state.\(state)")) }
        for template in FormTemplate.allCases {
            #expect(known.contains("template.\(template.rawValue)"))
            for texts in try Self.catalogues() {
                for question in template.questions(texts) {
                    #expect(!question.title.hasPrefix("template."), "\(question.key)")
                }
            }
        }
        let choices = [
            "identity": ["open", "device", "attendee"], "kind": ["rating", "nps", "choice", "text"],
            "shows": ["never", "afterSubmission", "afterClose", "always"],
        ]
        for (group, names) in choices {
            for name in names { #expect(known.contains("builder.\(group)-\(name)")) }
        }
        for field in ["name", "email", "password", "invitation", "token"] {
            #expect(known.contains("account.\(field)"))
        }
        for place in ["home", "calendar", "series", "account", "admin"] { #expect(known.contains("bar.\(place)")) }
        for name in ["promoters", "passives", "detractors", "rows", "columns"] {
            #expect(known.contains("charts.\(name)"))
        }
        for change in WordingChanges.told { #expect(known.contains("charts.changed-\(change)")) }
        for name in ["summary", "questions", "submissions", "answers"] {
            #expect(known.contains("charts.export-\(name)"))
        }
        for change in SeriesTrends.told { #expect(known.contains("series.change-\(change)")) }
        for role in ["owner", "editor", "viewer"] { #expect(known.contains("series.role-\(role)")) }
        for text in ["added", "removed", "mailed", "expected", "present", "late", "absent"] {
            #expect(known.contains("people.\(text)"))
        }
        for text in ["saved", "changed", "ended"] { #expect(known.contains("own.\(text)")) }
        for scope in OwnAccountPages.scopes {
            #expect(known.contains("own.scope-\(scope.replacing(":", with: "-"))"))
        }
        for who in ["anonymous", "named", "unnamed"] { #expect(known.contains("form.who-\(who)")) }
        for status in ["present", "late", "absent", "expected"] { #expect(known.contains("check-in.\(status)")) }
    }
}
