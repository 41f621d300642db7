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
