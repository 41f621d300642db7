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

    deinit { if let words { afterword_words_close(words) } }

    /// Hands over each word as it is written, composed (NFC). Numbers, punctuation and emoji are none.
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
                if Self.isWord(afterword_words_kind(words)) {
                    take(String(decoding: UnsafeBufferPointer(rebasing: text[start..<end]), as: UTF16.self))
                }
                start = end
            }
        }
    }

    /// ICU's `UWordBreak`: below 100 neither letters nor digits, below 200 numbers.
    private static func isWord(_ kind: Int32) -> Bool { kind >= 200 }
}
