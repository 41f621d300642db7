import Foundation
import StrictJSON

/// All texts of the pages in one language, from the catalogue `texts/<language>.json`. A key has the form `group.name`.
struct PageTexts: Sendable {
    let language: Language
    private let texts: [String: String]
    /// The texts by group and name. Templates use them as `t.group.name`. They are grouped once, because every page needs
    /// them.
    let tree: [String: [String: String]]

    init(_ language: Language, from folder: URL) throws {
        self.language = language
        let file = folder.appendingPathComponent("texts/\(language.rawValue).json")
        let catalogue = try JSONValue.parse(Array(Data(contentsOf: file)))
        var texts: [String: String] = [:]
        var tree: [String: [String: String]] = [:]
        for group in catalogue.members ?? [] {
            for text in group.value.members ?? [] {
                texts["\(group.name).\(text.name)"] = text.value.string
                tree[group.name, default: [:]][text.name] = text.value.string
            }
        }
        self.texts = texts
        self.tree = tree
    }

    var keys: Set<String> { Set(texts.keys) }

    /// The text of a key, with the values in place of its `{name}` placeholders. A placeholder without a value remains.
    ///
    /// Returns the key itself if the catalogue has no such text; a test checks that this does not happen. Values are
    /// not expanded again, because they may be a host's own text.
    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        let text = texts[key] ?? key
        if values.isEmpty { return text }
        return text.replacing(/\{([a-z]+)\}/) { match in values[String(match.1)] ?? String(match.0) }
    }

    /// Replaces each `{name}` placeholder by its value, or by nothing without one. Values are not expanded again.
    func fill(_ text: String, _ value: (String) -> String?) -> String {
        text.replacing(/\{([a-z]+)\}/) { match in value(String(match.1)) ?? "" }
    }

    func find(_ key: String) -> String? { texts[key] }
}
