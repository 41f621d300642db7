import Foundation

@testable import Words

extension FuzzTarget {
    /// Search in participants' texts, and the words of these texts: folding twice changes nothing, a text contains
    /// itself, and the counts of a term are possible.
    static let words: Run = { input in
        let (line, rest) = input.firstLine
        let (query, text) = (line.text, rest.text)
        checkFolding(query)
        if let search = SearchQuery(query) {
            law(search.length > 0, "A query has a length.")
            let found = search.found(in: [text, query, query + text, ""])
            law(found.count == 4 && !found[3], "Each text has a result.")
            law(found[1], "A text contains itself.")
        }
        checkTerms([text, query, text])
    }

    private static func checkFolding(_ text: String) {
        let folded = Normalization.caseFolding.apply(to: text)
        // Longer runs of marks are reordered piece by piece, so folding again can change them.
        guard text.unicodeScalars.count <= 30 else { return }
        var again: [UInt16] = []
        Normalization.caseFolding.apply(to: folded, into: &again)
        law(again == folded, "A second folding changes nothing.")
        let composed = String(decoding: Normalization.composition.apply(to: text), as: UTF16.self)
        law(composed == text, "A composed text is canonically equivalent.")
    }

    private static func checkTerms(_ answers: [String]) {
        for keepsStopWords in [true, false] {
            var count = TermCount(keepingStopWords: keepsStopWords)
            count.add(answers)
            let terms = count.terms(limit: 20)
            law(terms.count <= 20, "The number of terms is limited.")
            law(
                terms.allSatisfy { $0.answers <= $0.count && 1...answers.count ~= $0.answers },
                "The counts of a term are possible.")
            law(terms.allSatisfy { !$0.text.isEmpty }, "A term has a text.")
        }
    }
}
