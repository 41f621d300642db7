import Foundation
import StrictJSON

/// All that pages say in one language: `group.name` by the catalogue `texts/<language>.json`.
struct PageTexts: Sendable {
    let language: Language
    private let texts: [String: String]

    init(_ language: Language, from folder: URL) throws {
        self.language = language
        let file = folder.appendingPathComponent("texts/\(language.rawValue).json")
        let catalogue = try JSONValue.parse(Array(Data(contentsOf: file)))
        var texts: [String: String] = [:]
        for group in catalogue.members ?? [] {
            for text in group.value.members ?? [] { texts["\(group.name).\(text.name)"] = text.value.string }
        }
        self.texts = texts
    }

    var keys: Set<String> { Set(texts.keys) }

    /// The text of this key, its `{name}`s filled in; the key itself where there is none, which a test looks for.
    ///
    /// In one pass: a value may be a host's own text, and what looks like a `{name}` in it stays as written.
    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        let text = texts[key] ?? key
        if values.isEmpty { return text }
        return text.replacing(/\{([a-z]+)\}/) { match in values[String(match.1)] ?? String(match.0) }
    }

    /// One of these texts, each `{name}` by what there is for it, in one go: what is filled in is filled in no further.
    func fill(_ text: String, _ value: (String) -> String?) -> String {
        text.replacing(/\{([a-z]+)\}/) { match in value(String(match.1)) ?? "" }
    }

    func find(_ key: String) -> String? { texts[key] }

    /// For templates: `t.group.name`.
    var tree: [String: [String: String]] {
        texts.reduce(into: [:]) { tree, entry in
            let parts = entry.key.split(separator: ".", maxSplits: 1)
            tree[String(parts[0]), default: [:]][String(parts[1])] = entry.value
        }
    }
}
