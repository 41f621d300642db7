import HTTPAPI

/// The languages of the pages.
enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case korean = "ko"

    /// The language's name in the language itself.
    var name: String {
        switch self {
        case .english: "English"
        case .korean: "한국어"
        }
    }

    /// The language that an `Accept-Language` header prefers (RFC 9110, 12.5.4). English if it accepts neither.
    init(accepting header: String?) {
        let best = AcceptedLanguage.best(of: Self.allCases.map(\.rawValue), in: header)
        self = best.flatMap(Self.init(rawValue:)) ?? .english
    }
}
