import CICU

/// Splits texts into words by Unicode Standard Annex #29, with ICU's dictionaries for languages without spaces
/// (Chinese, Japanese, Thai, Lao, Khmer, Burmese).
///
/// A reader belongs to one thread, because ICU's iterator is stateful.
struct WordReader: ~Copyable {
    private let words: UnsafeMutableRawPointer?
    private var units: [UInt16] = []
    private var composed: [UInt16] = []

    init() { words = afterword_words_open() }

    /// Whether ICU has the data for word boundaries. If not, `Words.requireData` prevents the start of the service.
    var isOpen: Bool { words != nil }

    deinit { if let words { afterword_words_close(words) } }

    /// The maximum length of a word in UTF-16 units. Longer segments are skipped, because they may be a whole text
    /// without boundaries.
    static let maximumLength = 64

    /// Passes each word in NFC to the closure. Numbers, punctuation and emoji are skipped; words with digits, such as
    /// `mp3` or `A4`, are not.
    mutating func read(_ text: String, _ take: (String) -> Void) {
        guard let words else { return }
        units.removeAll(keepingCapacity: true)
        units.append(contentsOf: text.utf16)
        Normalization.composition.apply(to: units, into: &composed)
        guard let length = Int32(exactly: composed.count) else { return }
        composed.withUnsafeBufferPointer { text in
            guard afterword_words_read(words, text.baseAddress, length) != 0 else { return }
            var start = 0
            while case let end = Int(afterword_words_next(words)), end >= 0 {
                let segment = UnsafeBufferPointer(rebasing: text[start..<end])
                start = end
                guard segment.count <= Self.maximumLength, case let kind = afterword_words_kind(words),
                    kind >= Self.number
                else { continue }
                let word = String(decoding: segment, as: UTF16.self)
                if kind >= Self.letter || word.unicodeScalars.contains(where: \.properties.isAlphabetic) { take(word) }
            }
        }
    }

    // The lowest kinds in ICU's `UWordBreak`: `number` for words that end in a digit, `letter` for other words.
    private static let number: Int32 = 100
    private static let letter: Int32 = 200
}
