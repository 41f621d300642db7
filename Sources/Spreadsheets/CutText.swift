/// A text that is longer than a cell may be.
struct CutText {
    private static let mark = "… [cut, see Notes]"

    /// In UTF-16 code units, as spreadsheets count.
    let length: Int
    /// Its beginning and a mark that it goes on.
    let text: String

    /// Nil for a text that fits.
    init?(_ whole: String, limit: Int) {
        // No text has more UTF-16 units than bytes.
        guard whole.utf8.count > limit else { return nil }
        length = whole.utf16.count
        guard length > limit else { return nil }
        text = Self.beginning(of: whole, limit - Self.mark.utf16.count) + Self.mark
    }

    /// Characters as people see them; of one that is too long by itself as many of its scalars as fit.
    private static func beginning(of text: String, _ room: Int) -> String {
        var rest = room
        let characters = text.prefix { character in
            rest -= character.utf16.count
            return rest >= 0
        }
        guard characters.isEmpty else { return String(characters) }
        rest = room
        let scalars = text.unicodeScalars.prefix { scalar in
            rest -= UTF16.width(scalar)
            return rest >= 0
        }
        return String(scalars)
    }
}
