import CICU

/// Texts to words in any language, by ICU's word boundaries (Unicode Standard Annex #29 and its dictionaries).
public enum Words {
    /// Of the library, whose dictionaries decide what a word of Chinese or Japanese is.
    public static var version: String { String(cString: afterword_icu_version()) }
}
