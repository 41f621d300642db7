/// An address as it was entered, without surrounding spaces, and the form in which addresses are compared.
///
/// Only the basic syntax is checked; sending mail checks the rest. Letters that Swift and the database lower-case
/// differently are refused, because the two would disagree on which addresses are equal. So are invisible characters,
/// because people could not distinguish the address from another one.
public struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    /// The address in lower case. Two addresses belong to the same person if they are equal in this form.
    public let normalised: String

    public init?(_ input: String) {
        let text = Limits.trimmed(input)
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
            parts[1].first != UInt8(ascii: "."), parts[1].last != UInt8(ascii: "."),
            !text.unicodeScalars.contains(where: { Self.isInvisible($0) || !Self.foldsAlike($0) })
        else { return nil }
        self.text = text
        normalised = text.lowercased()
    }

    /// Whether the character is white space, a control or formatting character, or otherwise not drawn, such as a
    /// zero-width space or a Hangul filler.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        if properties.isWhitespace || properties.isDefaultIgnorableCodePoint { return true }
        switch properties.generalCategory {
        case .control, .format: return true
        default: return false
        }
    }

    /// Whether Swift and every database lower-case a letter to the same letter. `İ` becomes two letters in Swift, but
    /// an `i` in PostgreSQL. A letter that changes must be in Unicode 6, which every database supports.
    private static func foldsAlike(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return true }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        guard lower.count == 1 else { return false }
        return lower.first == scalar || (scalar.properties.age?.major ?? .max) <= 6
    }

    /// Whether a header can contain all characters of the address unquoted (RFC 5322's `dot-atom` with RFC 6532's
    /// letters). No character can then begin a second recipient, as a comma would.
    public var isMailable: Bool {
        let allowed = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@!#$%&'*+/=?^_`{|}~.-".utf8)
        return text.utf8.allSatisfy { $0 >= 0x80 || allowed.contains($0) }
    }

    public var description: String { text }

    /// Compares bytes, as the database does. Swift's strings treat composed and decomposed accents as equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.normalised.utf8.elementsEqual(right.normalised.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in normalised.utf8 { hasher.combine(byte) }
        hasher.combine(0xff as UInt8)
    }
}
