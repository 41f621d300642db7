/// The languages of mails.
public enum LetterLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case korean = "ko"

    /// From a language tag such as `ko-KR`; nil for a language without translations.
    public init?(locale: String?) {
        guard let language = locale?.split(separator: "-").first else { return nil }
        self.init(rawValue: language.lowercased())
    }
}
