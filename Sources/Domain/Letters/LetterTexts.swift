import StrictJSON

/// The texts of mails in one language.
public struct LetterTexts: Sendable {
    private let texts: [String: String]

    /// - Parameter catalogue: All texts of a language. Those of mails are in the group `mail`.
    public init(_ catalogue: JSONValue) {
        let members = catalogue["mail"]?.members ?? []
        texts = members.reduce(into: [:]) { $0[$1.name] = $1.value.string }
    }

    /// The text with the values in place of its placeholders. Returns the name if there is no such text.
    func callAsFunction(_ name: String, _ values: [String: String] = [:]) -> String {
        Placeholders.replace(in: texts[name] ?? name) { values[$0] }
    }
}

/// The texts of mails in all languages, and the language of mails to people who have not chosen one.
public struct LetterCatalogues: Sendable {
    private static let defaultLanguage = "en"

    private let catalogues: [String: LetterTexts]
    private var preferredLanguage = Self.defaultLanguage

    /// - Parameter catalogues: The texts by language, such as `de`. They include English.
    public init(_ catalogues: [String: LetterTexts]) { self.catalogues = catalogues }

    /// The languages, such as `de`.
    public var languages: [String] { catalogues.keys.sorted() }

    /// The same texts with a language for people who have not chosen one. Nil is English.
    public func preferring(_ language: String?) -> LetterCatalogues {
        var letters = self
        letters.preferredLanguage = language ?? Self.defaultLanguage
        return letters
    }

    /// The texts in the language that a person has chosen.
    ///
    /// - Parameter locale: A language tag such as `de-AT`, whose region is ignored. Nil, and a language without texts,
    ///   are replaced by the preferred language.
    public func texts(locale: String?) -> LetterTexts {
        let language = locale?.split(separator: "-").first?.lowercased() ?? preferredLanguage
        return catalogues[language] ?? catalogues[preferredLanguage] ?? catalogues[Self.defaultLanguage]
            ?? LetterTexts(.null)
    }
}
