import Testing

@testable import Words

@Suite struct WordBoundaries {
    private static func words(_ text: String) -> [String] {
        var reader = WordReader()
        var words: [String] = []
        reader.read(text) { words.append($0) }
        return words
    }

    @Test func libraryIsAvailable() throws {
        #expect(Words.version.isEmpty == false)
        try Words.requireData()
    }

    @Test(arguments: [
        ((false, true, true), "word boundaries:"), ((true, false, true), "composition (NFC):"),
        ((true, true, false), "case folding:"), ((false, true, false), "word boundaries, case folding:"),
    ])
    func missingLibraryDataIsReported(has: (Bool, Bool, Bool), parts: String) throws {
        let refusal = #expect(throws: Words.Unavailable.self) {
            try Words.require(boundaries: has.0, composition: has.1, caseFolding: has.2)
        }
        let sentence = try #require(refusal).description
        #expect(sentence.contains("lacks its data for \(parts)") && sentence.contains("libicu72"))
    }

    @Test(arguments: [
        ("We don’t like it, don't we?", ["We", "don’t", "like", "it", "don't", "we"]),
        ("A well-known e-mail: a@b.example!", ["A", "well", "known", "e", "mail", "a@b.example"]),
        ("3 of 10, 3.5 and 10:30; 3D and B2B", ["of", "and", "3D", "and", "B2B"]),
        ("python3, mp3 and covid19; A4 Q3 CO2 v1.2", ["python3", "mp3", "and", "covid19", "A4", "Q3", "CO2", "v1.2"]),
        ("제3 회의, 第3次 カタ3", ["제", "회의", "第", "次", "カタ"]),
        ("1 2.5 1,000 10:30 2026-11-22 ١٢ ３", []),
        ("회의가 너무 길어요. 자료는 좋았습니다!", ["회의가", "너무", "길어요", "자료는", "좋았습니다"]),
        ("酒店的服务很好", ["酒店", "的", "服务", "很好"]),
        ("会議は長いです", ["会議", "は", "長い", "です"]),
        ("สวัสดีชาวโลก", ["สวัสดี", "ชาว", "โลก"]),
        ("שלום לכולם, مرحبا بالعالم", ["שלום", "לכולם", "مرحبا", "بالعالم"]),
        ("👍🏽 great 🎉 … --- 100 %", ["great"]),
        ("", []), (" \n\t", []), ("\u{0301}", []),
    ]) func wordsOfEachLanguageAreFound(text: String, expected: [String]) {
        #expect(Self.words(text) == expected)
    }

    @Test func decomposedLettersAreComposed() {
        let words = Self.words("cafe\u{301} \u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}")
        #expect(words.map { Array($0.unicodeScalars) } == [Array("café".unicodeScalars), Array("한국".unicodeScalars)])
    }

    @Test func overlongSequencesAreNotWords() {
        let (long, longer) = (String(repeating: "a", count: 64), String(repeating: "b", count: 65))
        #expect(Self.words("\(longer) \(long) e" + String(repeating: "\u{301}", count: 1_000) + " c1") == [long, "c1"])
    }

    @Test func oneReaderSplitsTextsOfAnyLength() {
        var reader = WordReader()
        for length in [0, 1, 255, 256, 257, 10_000, 3] {
            var count = 0
            reader.read(String(repeating: "é ", count: length)) { _ in count += 1 }
            #expect(count == length)
        }
    }
}
