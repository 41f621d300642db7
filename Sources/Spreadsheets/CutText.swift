/// A text that is too long for a cell, cut to fit.
struct CutText {
    private static let mark = "… [cut, see Notes]"

    /// The full length in UTF-16 code units, as spreadsheets count.
    let length: Int
    /// The beginning of the text and a mark that it was cut.
    let text: String

    /// Returns nil if the text fits.
    init?(_ whole: String, limit: Int) {
        // A text never has more UTF-16 units than bytes.
        guard whole.utf8.count > limit else { return nil }
        length = whole.utf16.count
        guard length > limit else { return nil }
        text = Self.beginning(of: whole, limit - Self.mark.utf16.count) + Self.mark
    }

    /// The longest prefix of whole characters. If the first character alone is too long, as many of its scalars as fit.
    private static func beginning(of text: String, _ limit: Int) -> String {
        var remainingUnits = limit
        let characters = text.prefix { character in
            remainingUnits -= character.utf16.count
            return remainingUnits >= 0
        }
        guard characters.isEmpty else { return String(characters) }
        remainingUnits = limit
        let scalars = text.unicodeScalars.prefix { scalar in
            remainingUnits -= UTF16.width(scalar)
            return remainingUnits >= 0
        }
        return String(scalars)
    }
}
