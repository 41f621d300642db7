/// The lines of a typed text that are not empty. They are found one by one, so that a caller who needs a few of them
/// does not read megabytes.
struct TextLines: Sequence, IteratorProtocol {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        rest = Substring(text).unicodeScalars
    }

    mutating func next() -> Substring? {
        rest = rest.drop(while: Self.endsLine)
        guard !rest.isEmpty else { return nil }
        let line = rest.prefix { !Self.endsLine($0) }
        rest = rest[line.endIndex...]
        return Substring(line)
    }

    /// The same characters as `Character.isNewline`.
    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
