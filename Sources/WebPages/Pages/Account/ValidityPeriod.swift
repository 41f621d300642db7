import Foundation

/// The periods for which a token or link can be valid.
enum ValidityPeriod {
    /// - Parameter proposed: The number of days that is selected initially.
    static func choices(_ days: [Int], proposed: Int, _ page: PageRequest) -> [PageField.Values.Choice] {
        let chosen = page.fields["days"].flatMap { Int($0) } ?? proposed
        return days.map {
            .init(choice: "\($0)", words: page.texts("shares.days", ["count": "\($0)"]), isChosen: $0 == chosen)
        }
    }

    /// The end of the chosen period; nil for the API's default.
    ///
    /// One minute is subtracted, because the API refuses an end that is too late, and this computer's clock may be
    /// ahead of the database's.
    static func end(_ page: PageRequest) -> Date? {
        guard let days = page.fields["days"].flatMap({ Int($0) }), 1...1826 ~= days else { return nil }
        return Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + Double(days) * 86_400 - 60).rounded())
    }
}
