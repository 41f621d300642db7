import CICU

/// Word boundaries in any language, by ICU (Unicode Standard Annex #29 and its dictionaries).
public enum Words {
    /// ICU lacks its data. Without the data it would find no words and compare texts character by character, and nobody
    /// would notice.
    public struct Unavailable: Error, Sendable, CustomStringConvertible {
        /// The missing parts.
        let parts: [String]

        public var description: String {
            "ICU, the library that finds word boundaries, lacks its data for \(parts.joined(separator: ", ")): "
                + "reinstall it. On Debian 12 it is the package libicu72."
        }
    }

    /// The version of ICU, whose dictionaries determine the words of Chinese and Japanese.
    public static var version: String { String(cString: afterword_icu_version()) }

    /// Throws `Unavailable` unless ICU has all required data. One check at the start is enough.
    public static func requireData() throws(Unavailable) {
        try require(
            boundaries: WordReader().isOpen, composition: Normalization.composition.isAvailable,
            caseFolding: Normalization.caseFolding.isAvailable)
    }

    static func require(boundaries: Bool, composition: Bool, caseFolding: Bool) throws(Unavailable) {
        let parts = [
            ("word boundaries", boundaries), ("composition (NFC)", composition), ("case folding", caseFolding),
        ].filter { !$0.1 }.map(\.0)
        guard parts.isEmpty else { throw Unavailable(parts: parts) }
    }
}

/// The scripts with different rules for counting words.
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

/// A term as shown in a list.
public struct Term: Sendable, Equatable {
    /// The most frequent spelling.
    public var text: String
    /// The number of occurrences.
    public var count: Int
    /// The number of answers that contain the term.
    public var answers: Int
}
