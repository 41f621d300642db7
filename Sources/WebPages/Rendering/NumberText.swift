import Domain
import Foundation

/// The number formats of pages. The minus sign is `−`. Decimal representations are rounded half away from zero. The
/// examples are those of English; other languages may have another decimal separator.
enum NumberText {
    /// `3.75`, `−8.70`.
    static func decimal(_ value: Double, places: Int = 2, in language: Language) -> String {
        localized(plain(value, places), language)
    }

    /// Without trailing zeros: `2.5`, `3`.
    static func short(_ value: Double, places: Int = 1, in language: Language) -> String {
        let text = plain(value, places)
        guard text.contains(".") else { return text }
        return localized(String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed()), language)
    }

    /// A score that can be positive or negative: `+33`, `−8`, `0`.
    static func score(_ value: Double) -> String {
        let text = plain(value, 0)
        return value > 0 && text != "0" ? "+" + text : text
    }

    /// A change, always with a sign: `+0.40`, `−3.00`, `±0.00`.
    static func difference(_ value: Double, places: Int = 2, in language: Language) -> String {
        localized(signed(value, places), language)
    }

    /// The difference of two shares, in percentage points: `+12`.
    static func points(_ difference: Double) -> String { signed(difference.rounded(toDecimals: 2), 0) }

    /// A share as a whole percentage: `55 %`.
    static func percent(_ share: Double) -> String { "\(wholePercent(share)) %" }

    /// Two shares as the ends of a range: `38–69 %`.
    static func percents(_ low: Double, _ high: Double) -> String { "\(wholePercent(low))–\(percent(high))" }

    private static func wholePercent(_ share: Double) -> String {
        let text = digits(abs(share.rounded(toDecimals: 2)), places: 0)
        return share < 0 && text != "0" ? "−" + text : text
    }

    private static func plain(_ value: Double, _ places: Int) -> String {
        let text = magnitude(value, places)
        return value < 0 && Double(text) != 0 ? "−" + text : text
    }

    private static func signed(_ value: Double, _ places: Int) -> String {
        let text = magnitude(value, places)
        guard Double(text) != 0 else { return "±" + text }
        return (value < 0 ? "−" : "+") + text
    }

    private static func localized(_ text: String, _ language: Language) -> String {
        let separator = language.decimalSeparator
        return separator == "." ? text : text.replacing(".", with: separator)
    }

    /// `rounded(toDecimals:)` returns the value times a power of ten, which is divided out here.
    private static func magnitude(_ value: Double, _ places: Int) -> String {
        digits(abs(value.rounded(toDecimals: places)), places: places)
    }

    /// A whole number divided by a power of ten: 375 with two places is `3.75`.
    ///
    /// The digits are those of an integer, because a page formats hundreds of numbers and `String(format:)` is slow.
    private static func digits(_ scaled: Double, places: Int) -> String {
        guard scaled < 1e15 else {
            return String(format: "%.\(places)f", (0..<places).reduce(scaled) { number, _ in number / 10 })
        }
        let allDigits = String(Int(scaled))
        guard places > 0 else { return allDigits }
        let padded = String(repeating: "0", count: max(0, places + 1 - allDigits.utf8.count)) + allDigits
        return "\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}
