import CICU

/// The words of texts, by Unicode Standard Annex #29 with ICU's dictionaries where nobody writes blanks between them
/// (Chinese, Japanese, Thai, Lao, Khmer, Burmese).
///
/// It is of one thread: ICU's iterator moves.
struct WordReader: ~Copyable {
    private let words: UnsafeMutableRawPointer?
    private var units: [UInt16] = []
    private var composed: [UInt16] = []

    init() { words = afterword_words_open() }

    /// Whether the library has its data; `Words.requireData` refuses a start without.
    var isOpen: Bool { words != nil }

    deinit { if let words { afterword_words_close(words) } }

    /// What is longer is no word that anybody reads in a list, in UTF-16 units: it may be a whole text.
    static let longest = 64

    /// Hands over each word as it is written, composed (NFC). Numbers, punctuation and emoji are none; a word with a
    /// number at its end, such as `mp3` or `A4`, is one.
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
                guard segment.count <= Self.longest, case let kind = afterword_words_kind(words), kind >= Self.number
                else { continue }
                let word = String(decoding: segment, as: UTF16.self)
                if kind >= Self.letter || word.unicodeScalars.contains(where: \.properties.isAlphabetic) { take(word) }
            }
        }
    }

    // ICU's `UWordBreak`: from `number` what ends in a digit, from `letter` what ends otherwise.
    private static let number: Int32 = 100
    private static let letter: Int32 = 200
}
