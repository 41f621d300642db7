import HTTPAPI

/// The languages that pages speak.
enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case korean = "ko"

    /// What the language calls itself.
    var name: String {
        switch self {
        case .english: "English"
        case .korean: "한국어"
        }
    }

    /// The one that a browser likes best (RFC 9110, 12.5.4); English if it likes none of them.
    init(accepting header: String?) {
        let best = AcceptedLanguage.best(of: Self.allCases.map(\.rawValue), in: header)
        self = best.flatMap(Self.init(rawValue:)) ?? .english
    }
}
