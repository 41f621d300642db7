/// Keeps a spreadsheet from running a text, by one leading `'`, and takes that `'` away again.
///
/// A text of `'`s before such a character gets one more, so that removing one always gives back what was guarded.
public enum FormulaGuard {
    /// True for texts that match `^'*[=+\-@\t\r]`.
    public static func guards(_ text: String) -> Bool {
        guards(text.utf8)
    }

    static func guards(_ bytes: some Sequence<UInt8>) -> Bool {
        for byte in bytes where byte != UInt8(ascii: "'") {
            switch byte {
            case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: return true
            default: return false
            }
        }
        return false
    }

    /// The text as it was before it was guarded; a `'` that no guard wrote stays.
    public static func removed(from text: String) -> String {
        guard text.utf8.first == UInt8(ascii: "'"), guards(text) else { return text }
        return String(text.utf8.dropFirst()) ?? text
    }
}
