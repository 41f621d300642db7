/// Counts the terms in many answers.
///
/// Words are the same term if they are equal in NFKC_Casefold (`Demo`, `demo`, `ＤＥＭＯ`). Korean words that differ only
/// in a particle are also the same term: 회의가 is counted as 회의 if 회의 also occurs alone or with another particle. Words
/// of one character are counted only in Han and Hangul. Stop words are left out by default.
public struct TermCount {
    private let keepsStopWords: Bool
    /// The distinct spellings in order of first occurrence, and the index of each.
    private var spellings: [String] = []
    private var spellingIndices: [String: Int32] = [:]
    /// The words of all answers, as indices of spellings.
    private var words: [Int32] = []
    /// The end of each answer in `words`.
    private var ends: [Int] = []

    public init(keepingStopWords: Bool = false) { keepsStopWords = keepingStopWords }

    /// Adds the words of these answers.
    public mutating func add(_ answers: [String]) {
        var reader = WordReader()
        for answer in answers {
            reader.read(answer) { word in
                if let index = spellingIndices[word] { return words.append(index) }
                let index = Int32(spellings.count)
                spellings.append(word)
                spellingIndices[word] = index
                words.append(index)
            }
            ends.append(words.count)
        }
    }

    /// The terms that occur in the most answers, at most `limit`. Terms in the same number of answers are ordered by
    /// code points.
    public func terms(limit: Int) -> [Term] {
        var occurrences = [Occurrences](repeating: Occurrences(), count: spellings.count)
        let keys = keys()
        var start = 0
        for (answer, end) in ends.enumerated() {
            for word in words[start..<end] {
                guard let key = keys[Int(word)] else { continue }
                occurrences[key.term].add(key.spelling, in: answer)
            }
            start = end
        }
        let terms = occurrences.compactMap(\.term).sorted { left, right in
            left.answers != right.answers
                ? left.answers > right.answers
                : left.text.unicodeScalars.lexicographicallyPrecedes(right.text.unicodeScalars)
        }
        return Array(terms.prefix(limit))
    }

    /// For each spelling, the term that it belongs to (as the index of the term's first spelling) and the spelling to
    /// show. Nil if the word is not a term.
    private func keys() -> [(term: Int, spelling: String)?] {
        let folded = spellings.map(Self.fold)
        let particles = Particles(Set(folded))
        var firstIndices: [String: Int] = [:]
        return folded.indices.map { index in
            let key = particles.stem(of: folded[index])
            guard Self.isLongEnough(key), keepsStopWords || !isStopWord(key, folded[index]) else { return nil }
            // Hangul has no case, so the particle has the same length in the original spelling.
            let cut = folded[index].count - key.count
            let first = firstIndices[key] ?? index
            firstIndices[key] = first
            return (first, String(spellings[index].dropLast(cut)))
        }
    }

    private func isStopWord(_ key: String, _ word: String) -> Bool {
        StopWords.all.contains(key) || StopWords.all.contains(word)
    }

    /// The form in which words are compared.
    private static func fold(_ word: String) -> String {
        if word.utf8.allSatisfy({ 0x61...0x7A ~= $0 }) { return word }
        let folded = String(decoding: Normalization.caseFolding.apply(to: word), as: UTF16.self)
        return folded.contains("\u{2019}") ? folded.replacing("\u{2019}", with: "'") : folded
    }

    private static func isLongEnough(_ key: String) -> Bool {
        guard let first = key.unicodeScalars.first else { return false }
        return Script(first) != .other || key.count > 1
    }
}

/// The number of occurrences of a term, and its spellings.
private struct Occurrences {
    private var count = 0
    private var answers = 0
    private var lastAnswer = -1
    private var spellings: [String: Int] = [:]

    mutating func add(_ spelling: String, in answer: Int) {
        count += 1
        if answer != lastAnswer { answers += 1 }
        lastAnswer = answer
        spellings[spelling, default: 0] += 1
    }

    /// Nil without occurrences. Of equally frequent spellings, the last by code points wins, which prefers lower case.
    var term: Term? {
        let text = spellings.max { left, right in
            left.value != right.value
                ? left.value < right.value
                : left.key.unicodeScalars.lexicographicallyPrecedes(right.key.unicodeScalars)
        }
        return text.map { Term(text: $0.key, count: count, answers: answers) }
    }
}

/// Finds the words that consist of another word and a particle.
private struct Particles {
    private let words: Set<String>
    /// For each stem, the number of words with it.
    private let forms: [String: Int]

    init(_ words: Set<String>) {
        self.words = words
        var forms: [String: Int] = [:]
        for word in words { for stem in KoreanParticle.stems(of: word) { forms[stem, default: 0] += 1 } }
        self.forms = forms
    }

    /// The word without its particle, if the stem also occurs alone or with another particle.
    func stem(of word: String) -> String {
        KoreanParticle.stems(of: word).first { words.contains($0) || forms[$0, default: 0] > 1 } ?? word
    }
}
