import Domain
import Foundation
import Mustache
import StrictJSON

/// All texts of the pages in one language, from the catalogue `texts/<language>.json`. A key has the form `group.name`.
///
/// A text that contains `{count}` may be an object of two forms: `one` for the number 1, and `other` for all others.
struct PageTexts: Sendable {
    let language: Language
    private let texts: [String: String]
    /// The forms for the number 1, for texts that have one.
    private let singularTexts: [String: String]
    /// The texts of mails.
    let letters: LetterTexts
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
        var singularTexts: [String: String] = [:]
        var groups: [String: [String: String]] = [:]
        for group in catalogue.members ?? [] {
            for text in group.value.members ?? [] {
                let key = "\(group.name).\(text.name)"
                texts[key] = text.value.string ?? text.value["other"]?.string
                singularTexts[key] = text.value["one"]?.string
                groups[group.name, default: [:]][text.name] = texts[key]
            }
        }
        self.texts = texts
        self.singularTexts = singularTexts
        letters = LetterTexts(catalogue)
        self.groups = Groups(groups.mapValues(Group.init))
    }

    var keys: Set<String> { Set(texts.keys) }

    /// The text of a key, with the values in place of its `{name}` placeholders. A placeholder without a value remains.
    ///
    /// Returns the key itself if the catalogue has no such text; a test checks that this does not happen. Values are
    /// not expanded again, because they may be a host's own text.
    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        let text = find(key, count: values["count"]) ?? key
        return values.isEmpty ? text : Placeholders.replace(in: text) { values[$0] }
    }

    /// Replaces each `{name}` placeholder with its value, or removes it if it has none. Values are not expanded again.
    func fill(_ text: String, _ value: (String) -> String?) -> String {
        Placeholders.replace(in: text) { value($0) ?? "" }
    }

    /// Returns nil if the catalogue has no such text.
    ///
    /// - Parameter count: The number that the text is about. A text may have another form for `1`.
    func find(_ key: String, count: String? = nil) -> String? {
        (count == "1" ? singularTexts[key] : nil) ?? texts[key]
    }

    /// All forms of a text.
    func forms(of key: String) -> [String] { [texts[key], singularTexts[key]].compactMap(\.self) }
}
