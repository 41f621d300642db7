import CICU

/// Texts to words in any language, by ICU's word boundaries (Unicode Standard Annex #29 and its dictionaries).
public enum Words {
    /// Without its data ICU finds no words and compares texts letter by letter, which nobody would notice.
    public struct Unavailable: Error, Sendable, CustomStringConvertible {
        /// What is missing.
        let parts: [String]

        public var description: String {
            "ICU, the library that tells where words begin and end, lacks its data for \(parts.joined(separator: ", ")). "
                + "Install it anew: on Debian 12 it is the package libicu72."
        }
    }

    /// Of the library, whose dictionaries decide what a word of Chinese or Japanese is.
    public static var version: String { String(cString: afterword_icu_version()) }

    /// Throws `Unavailable` unless the library has all that is needed of it; once it has, it always will.
    public static func requireData() throws(Unavailable) {
        try require(
            boundaries: WordReader().isOpen, composition: Normalization.composition.isThere,
            caseFolding: Normalization.caseFolding.isThere)
    }

    static func require(boundaries: Bool, composition: Bool, caseFolding: Bool) throws(Unavailable) {
        let parts = [
            ("word boundaries", boundaries), ("composition (NFC)", composition), ("case folding", caseFolding),
        ].filter { !$0.1 }.map(\.0)
        guard parts.isEmpty else { throw Unavailable(parts: parts) }
    }
}

/// What of a character's script decides how words are counted.
enum Script {
    case han, hangul, other

    init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF: self = .han
        case 0xAC00...0xD7A3: self = .hangul
        default: self = .other
        }
    }
}

/// A word as a list of them shows it.
public struct Term: Sendable, Equatable {
    /// Its most frequent spelling.
    public var text: String
    /// How often it occurs.
    public var count: Int
    /// In how many answers.
    public var answers: Int

    public init(text: String, count: Int, answers: Int) {
        self.text = text
        self.count = count
        self.answers = answers
    }
}
