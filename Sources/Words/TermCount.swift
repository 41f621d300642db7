/// Counts the words of many answers.
///
/// Words are one term when NFKC_Casefold makes them equal (`Demo`, `demo`, `ＤＥＭＯ`), and in Korean when they differ in a
/// particle alone: 회의가 counts as 회의 if 회의 itself, or 회의 with another particle, stands in the answers too. A word of
/// one character is a term in Han and Hangul only; stop words are none unless they are kept.
public struct TermCount {
    private let keepsStopWords: Bool
    /// Spellings in the order in which they came, and where each of them stands.
    private var spellings: [String] = []
    private var numbers: [String: Int32] = [:]
    /// The spellings' numbers, answer by answer.
    private var words: [Int32] = []
    private var ends: [Int] = []

    public init(keepingStopWords: Bool = false) { keepsStopWords = keepingStopWords }

    /// Adds answers, one after the other.
    public mutating func add(_ answers: [String]) {
        var reader = WordReader()
        for answer in answers {
            reader.read(answer) { word in
                if let number = numbers[word] { return words.append(number) }
                let number = Int32(spellings.count)
                spellings.append(word)
                numbers[word] = number
                words.append(number)
            }
            ends.append(words.count)
        }
    }

    /// The terms that stand in most answers, at most so many; of equals the first by code points.
    public func terms(limit: Int) -> [Term] {
        var tallies = [Tally?](repeating: nil, count: spellings.count)
        let keys = keys()
        var start = 0
        for (answer, end) in ends.enumerated() {
            for word in words[start..<end] {
                guard let key = keys[Int(word)] else { continue }
                tallies[key.term, default: Tally()].add(key.spelling, in: answer)
            }
            start = end
        }
        let terms = tallies.compactMap { $0?.term }.sorted { left, right in
            left.answers != right.answers
                ? left.answers > right.answers
                : left.text.unicodeScalars.lexicographicallyPrecedes(right.text.unicodeScalars)
        }
        return Array(terms.prefix(limit))
    }

    /// Which term each spelling is, as the number of one of its spellings, and how it is shown; nil for none.
    private func keys() -> [(term: Int, spelling: String)?] {
        let folded = spellings.map(Self.fold)
        let particles = Particles(Set(folded))
        var firsts: [String: Int] = [:]
        return folded.indices.map { index in
            let key = particles.stem(of: folded[index])
            guard Self.isLongEnough(key), keepsStopWords || !isStopWord(key, folded[index]) else { return nil }
            // Hangul has no case, so what was cut off is as long in the spelling.
            let cut = folded[index].count - key.count
            let first = firsts[key] ?? index
            firsts[key] = first
            return (first, String(spellings[index].dropLast(cut)))
        }
    }

    private func isStopWord(_ key: String, _ whole: String) -> Bool {
        StopWords.all.contains(key) || StopWords.all.contains(whole)
    }

    /// What decides whether two words are one.
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

/// How often one term came, and how it was spelled.
private struct Tally {
    private var count = 0
    private var answers = 0
    private var last = -1
    private var spellings: [String: Int] = [:]

    mutating func add(_ spelling: String, in answer: Int) {
        count += 1
        if answer != last { answers += 1 }
        last = answer
        spellings[spelling, default: 0] += 1
    }

    /// Of spellings that are as frequent, the one in small letters: the last by code points.
    var term: Term {
        let text = spellings.max { left, right in
            left.value != right.value
                ? left.value < right.value
                : left.key.unicodeScalars.lexicographicallyPrecedes(right.key.unicodeScalars)
        }
        return Term(text: text?.key ?? "", count: count, answers: answers)
    }
}

extension [Tally?] {
    fileprivate subscript(index: Int, default value: @autoclosure () -> Tally) -> Tally {
        get { self[index] ?? value() }
        set { self[index] = newValue }
    }
}

/// Which of the words in some answers are another one of them with a particle.
private struct Particles {
    private let words: Set<String>
    /// For each stem how many of the words are made of it.
    private let forms: [String: Int]

    init(_ words: Set<String>) {
        self.words = words
        var forms: [String: Int] = [:]
        for word in words { for stem in KoreanParticle.stems(of: word) { forms[stem, default: 0] += 1 } }
        self.forms = forms
    }

    /// The word without its particle, if that occurs without it or with another.
    func stem(of word: String) -> String {
        KoreanParticle.stems(of: word).first { words.contains($0) || forms[$0, default: 0] > 1 } ?? word
    }
}
