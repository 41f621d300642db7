import Foundation

/// A choice of how long a token or link is valid.
struct ValidFor: TemplateValues {
    var days: Int
    var label: String
    var chosen: Bool

    static func choices(_ days: [Int], proposed: Int, _ page: PageRequest) -> [ValidFor] {
        let chosen = page.fields["days"].flatMap { Int($0) } ?? proposed
        return days.map {
            ValidFor(
                days: $0, label: page.texts($0 == 1 ? "shares.day" : "shares.days", ["count": "\($0)"]),
                chosen: $0 == chosen)
        }
    }

    /// The chosen end; nil for the API's default. One minute less, because this clock may be ahead of the database's, and
    /// the API refuses an end that is too late.
    static func end(_ page: PageRequest) -> Date? {
        guard let days = page.fields["days"].flatMap({ Int($0) }), 1...1826 ~= days else { return nil }
        return Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + Double(days) * 86_400 - 60).rounded())
    }
}
