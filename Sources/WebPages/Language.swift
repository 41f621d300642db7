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
        var best: (language: Language, weight: Double)?
        for range in (header ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = parts.first?.lowercased() else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            let found = Self.allCases.first { tag == $0.rawValue || tag.hasPrefix($0.rawValue + "-") }
            if let found, weight > (best?.weight ?? 0) { best = (found, weight) }
        }
        self = best?.language ?? .english
    }
}
