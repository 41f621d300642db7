import Contract

/// The most frequent words of a question's texts, as a list whose words are the larger the more texts contain them.
struct WordCloud: TemplateValues {
    struct Word: TemplateValues {
        var term: String
        /// 1 to 5.
        var size: Int
        /// The number of texts that contain the word, for screen readers.
        var answers: String
    }

    /// The largest number of words.
    static let maxWords = 40
    private static let sizes = 1...5

    var words: [Word]
    /// Says that not all texts were counted. Nil if all were.
    var sampledNotice: String?

    /// Nil without words. The words are in alphabetical order, so that they stay where they are while people answer.
    init?(_ terms: Terms, _ texts: PageTexts) {
        let counts = terms.items.map(\.answers)
        guard let fewest = counts.min(), let most = counts.max() else { return nil }
        words = terms.items.map { term in
            Word(
                term: term.term, size: Self.size(of: term.answers, between: fewest, and: most),
                answers: texts.answers(term.answers))
        }.sorted { ($0.term.lowercased(), $0.term) < ($1.term.lowercased(), $1.term) }
        if terms.sampled {
            sampledNotice = texts(
                "charts.words-sampled", ["read": "\(terms.answers)", "total": "\(terms.total)"])
        }
    }

    /// Divides the counts into steps of equal width. Words of which all are equally frequent get the middle size.
    static func size(of count: Int, between fewest: Int, and most: Int) -> Int {
        guard fewest < most else { return (sizes.lowerBound + sizes.upperBound) / 2 }
        let share = Double(count - fewest) / Double(most - fewest)
        return sizes.lowerBound + Int((share * Double(sizes.count - 1)).rounded())
    }
}
