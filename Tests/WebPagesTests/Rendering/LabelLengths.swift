import Foundation
import TestSupport
import Testing

@testable import WebPages

/// Labels on buttons, on tabs and in the headers of tables are short enough in every language.
///
/// The templates say which texts these are. Of the labels that a page's model contains, only tabs are checked.
@Suite struct LabelLengths {
    private enum Place: String, CaseIterable {
        case button, tab, header

        /// The width that fits on one line of a screen of 360 pixels.
        var maxWidth: Int {
            switch self {
            case .button: 36
            case .tab, .header: 18
            }
        }
    }

    private static let resources = Repository.url("Sources/WebPages/Resources")

    private static func templates() throws -> [String] {
        let folder = resources.appendingPathComponent("templates")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".mustache") }
            .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
    }

    /// The tabs of meetings and series.
    private static let keysOfTabs = Set(
        (MeetingTab.allCases.map(\.rawValue) + SeriesTab.allCases.map(\.rawValue)).map { "tabs.\($0)" })

    /// The keys of the labels in a template, without those that only screen readers get.
    private static func keys(at place: Place, in template: String) -> Set<String> {
        let contents: [Substring] =
            switch place {
            case .button:
                template.matches(of: /<button(?: [^>]*)?>(.*?)<\/button>/.dotMatchesNewlines()).map { $0.1 }
                    + template.matches(of: /<a [^>]*class="[^"]*button[^>]*>(.*?)<\/a>/.dotMatchesNewlines())
                    .map { $0.1 }
            case .tab:
                template.matches(of: /<\w+ [^>]*class="[^"]*tabs[^>]*>(.*?)<\/(?:p|nav|ul|div)>/.dotMatchesNewlines())
                    .map { $0.1 }
            case .header: template.matches(of: /<th(?: [^>]*)?>(.*?)<\/th>/.dotMatchesNewlines()).map { $0.1 }
            }
        return contents.reduce(into: []) { keys, content in
            let label = content.replacing(/<span class="away">.*?<\/span>/.dotMatchesNewlines(), with: "")
            keys.formUnion(label.matches(of: /\{\{t\.([a-z-]+\.[A-Za-z-]+)\}\}/).map { String($0.1) })
        }
    }

    /// The number of Latin characters that are as wide as the text. A Korean or Chinese character counts as two.
    private static func width(_ text: String) -> Int {
        let wideScalars: ClosedRange<Unicode.Scalar> = "\u{2E80}"..."\u{FFDC}"
        return text.unicodeScalars.reduce(0) { $0 + (wideScalars.contains($1) ? 2 : 1) }
    }

    @Test func labelsAreShortInEveryLanguage() throws {
        let catalogues = try Language.allCases.map { try PageTexts($0, from: Self.resources) }
        let templates = try Self.templates()
        var tooLong: [String] = []
        for place in Place.allCases {
            var keys = templates.reduce(into: Set<String>()) { $0.formUnion(Self.keys(at: place, in: $1)) }
            if place == .tab { keys.formUnion(Self.keysOfTabs) }
            for key in keys.sorted() {
                // Other languages need more room than English, above all for short words.
                let limit = min(place.maxWidth, Self.width(catalogues[0](key)) * 8 / 5 + 6)
                for texts in catalogues where Self.width(texts(key)) > limit {
                    tooLong.append("\(texts.language.rawValue) \(key): \(texts(key)), longer than \(limit)")
                }
            }
        }
        #expect(tooLong == [])
    }

    @Test func templatesSayWhichTextsAreLabels() throws {
        let template = """
            <a class="button{{#isOpen}} plain{{/isOpen}}" href="{{path}}">{{t.a.link}}</a><a href="/">{{t.a.plain}}</a>
            <button name="act" data-copied="{{t.a.copied}}">
            {{t.a.pressed}}<span class="away"> {{t.a.spoken}}</span></button><thead><tr><th scope="col">{{t.b.head}}</th>
            <td data-label="{{t.b.other}}">{{t.b.cell}}</td></tr></thead>
            <p class="tabs"><a href="/a">{{t.c.first}}</a> <a href="/b">{{t.c.second}}</a></p><p>{{t.c.text}}</p>
            """
        #expect(Self.keys(at: .button, in: template) == ["a.link", "a.pressed"])
        #expect(Self.keys(at: .header, in: template) == ["b.head"])
        #expect(Self.keys(at: .tab, in: template) == ["c.first", "c.second"])
        let buttons = try Self.templates().reduce(into: Set<String>()) { $0.formUnion(Self.keys(at: .button, in: $1)) }
        #expect(buttons.isSuperset(of: ["builder.save", "host.publish", "sign-in.send"]))
    }

    @Test func widthCountsKoreanCharactersTwice() {
        #expect(Self.width("Save") == 4 && Self.width("저장") == 4 && Self.width("QR 코드 – „a“") == 13)
    }
}
