import Foundation
import Mustache
import StrictJSON

/// All texts of the pages in one language, from the catalogue `texts/<language>.json`. A key has the form `group.name`.
struct PageTexts: Sendable {
    let language: Language
    private let texts: [String: String]
    /// The texts by group and name. Templates use them as `t.group.name`. They are grouped once, because every page
    /// needs them.
    let groups: Groups

    /// The texts of a group, by name.
    final class Group: MustacheParent, Sendable {
        private let texts: [String: String]

        init(_ texts: [String: String]) { self.texts = texts }

        func child(named name: String) -> Any? { texts[name] }
    }

    /// The groups of a language, by name.
    final class Groups: MustacheParent, Sendable {
        private let groups: [String: Group]

        init(_ groups: [String: Group]) { self.groups = groups }

        func child(named name: String) -> Any? { groups[name] }
    }

    init(_ language: Language, from folder: URL) throws {
        self.language = language
        let file = folder.appendingPathComponent("texts/\(language.rawValue).json")
        let catalogue = try JSONValue.parse(Array(Data(contentsOf: file)))
        var texts: [String: String] = [:]
        var groups: [String: [String: String]] = [:]
        for group in catalogue.members ?? [] {
            for text in group.value.members ?? [] {
                texts["\(group.name).\(text.name)"] = text.value.string
                groups[group.name, default: [:]][text.name] = text.value.string
            }
        }
        self.texts = texts
        self.groups = Groups(groups.mapValues(Group.init))
    }

    var keys: Set<String> { Set(texts.keys) }

    /// The text of a key, with the values in place of its `{name}` placeholders. A placeholder without a value remains.
    ///
    /// Returns the key itself if the catalogue has no such text; a test checks that this does not happen. Values are
    /// not expanded again, because they may be a host's own text.
    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        let text = texts[key] ?? key
        return values.isEmpty ? text : Self.replacePlaceholders(in: text) { values[$0] }
    }

    /// Replaces each `{name}` placeholder with its value, or removes it if it has none. Values are not expanded again.
    func fill(_ text: String, _ value: (String) -> String?) -> String {
        Self.replacePlaceholders(in: text) { value($0) ?? "" }
    }

    /// Replaces placeholders without a regular expression, because a page does so hundreds of times.
    ///
    /// - Parameter value: Returns the value of a name; nil keeps the placeholder.
    private static func replacePlaceholders(in text: String, by value: (String) -> String?) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "{")) {
            result += rest[..<open]
            rest = rest[open...]
            let end = rest.utf8.dropFirst().firstIndex { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            guard let end, rest.utf8[end] == UInt8(ascii: "}"), end > rest.utf8.index(after: open) else {
                result += "{"
                rest = rest[rest.utf8.index(after: open)...]
                continue
            }
            let close = rest.utf8.index(after: end)
            result += value(String(rest[rest.utf8.index(after: open)..<end])) ?? String(rest[..<close])
            rest = rest[close...]
        }
        return result + rest
    }

    func find(_ key: String) -> String? { texts[key] }
}
