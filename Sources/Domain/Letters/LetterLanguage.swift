/// The languages that letters are written in.
public enum LetterLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case korean = "ko"

    /// By a language tag such as `ko-KR`; nil for a language that no letter is written in.
    public init?(locale: String?) {
        guard let language = locale?.split(separator: "-").first else { return nil }
        self.init(rawValue: language.lowercased())
    }
}
