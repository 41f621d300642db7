import Foundation
import HTTPAPI

/// The languages of pages and mails. Each has a catalogue, `Resources/texts/<language>.json`.
enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case korean = "ko"
    case german = "de"

    /// The language that an `Accept-Language` header prefers (RFC 9110, 12.5.4). English if it accepts none of them.
    init(accepting header: String?) {
        let best = AcceptedLanguage.best(of: Self.allCases.map(\.rawValue), in: header)
        self = best.flatMap(Self.init(rawValue:)) ?? .english
    }

    /// What a locale says about a language. Read only once, because a page needs it hundreds of times.
    private struct Conventions: Sendable {
        let locale: Locale
        let name: String
        let decimalSeparator: String
        let firstWeekday: Int

        init(of language: Language) {
            // Dates in English are those of Britain. Other languages use the region where most of their speakers are.
            locale = Locale(identifier: language == .english ? "en_GB" : language.rawValue)
            name = locale.localizedString(forLanguageCode: language.rawValue) ?? language.rawValue
            decimalSeparator = locale.decimalSeparator ?? "."
            var calendar = Calendar(identifier: .gregorian)
            calendar.locale = locale
            firstWeekday = calendar.firstWeekday
        }
    }

    private static let conventions = Dictionary(uniqueKeysWithValues: allCases.map { ($0, Conventions(of: $0)) })

    private var conventions: Conventions { Self.conventions[self]! }

    var locale: Locale { conventions.locale }

    /// The language's name in the language itself.
    var name: String { conventions.name }

    /// The character before the decimals of a number.
    var decimalSeparator: String { conventions.decimalSeparator }

    /// The weekday with which a week begins. 1 is Sunday.
    var firstWeekday: Int { conventions.firstWeekday }
}
