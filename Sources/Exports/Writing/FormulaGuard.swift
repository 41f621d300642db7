/// The leading `'` that prevents spreadsheets from running a text as a formula.
///
/// A text in which `'`s already precede the formula gets another one, so that removing one always restores the
/// original.
public enum FormulaGuard {
    /// Whether a spreadsheet could run the text as a formula, also with any number of `'`s in front.
    ///
    /// That is a text which begins with a tab or a line break, or whose first visible character is `=`, `+`, `-` or `@`.
    /// In Japanese, Chinese and Korean versions the full-width forms of these signs begin formulas as well.
    public static func guards(_ text: String) -> Bool {
        guards(text.utf8)
    }

    static func guards(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first(where: { $0 != UInt8(ascii: "'") }) else { return false }
        // Most texts begin with a letter or a digit, for which nothing has to be decoded.
        if first > 0x20 && first < 0x7F { return isSign(Unicode.Scalar(first)) }
        if first == 0x09 || first == 0x0A || first == 0x0D { return true }
        var (rest, decoder) = (bytes.drop { $0 == UInt8(ascii: "'") }.makeIterator(), UTF8())
        while case .scalarValue(let scalar) = decoder.decode(&rest) {
            if isSign(scalar) { return true }
            guard isInvisible(scalar) else { return false }
        }
        return false
    }

    private static func isSign(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": true
        default: false
        }
    }

    /// Whether the character is white space, a control character, or one that is not shown, such as a zero-width space
    /// or a mark of direction. Programs that clean up a table may remove it.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x20, 0x7F...0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x1680, 0x17B4...0x17B5, 0x180B...0x180F,
            0x2000...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x3000, 0x3164, 0xFE00...0xFE0F, 0xFEFF, 0xFFA0,
            0xFFF0...0xFFFB, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }

    /// Returns the text without its guard. A `'` that is not a guard is kept.
    public static func removed(from text: String) -> String {
        guard text.utf8.first == UInt8(ascii: "'"), guards(text) else { return text }
        return String(text.utf8.dropFirst()) ?? text
    }
}
