import Testing

@testable import Words

@Suite struct WordBoundaries {
    private static func words(_ text: String) -> [String] {
        var reader = WordReader()
        var words: [String] = []
        reader.read(text) { words.append($0) }
        return words
    }

    @Test func theLibraryIsThere() { #expect(Words.version.isEmpty == false) }

    @Test(arguments: [
        ("We don’t like it, don't we?", ["We", "don’t", "like", "it", "don't", "we"]),
        ("A well-known e-mail: a@b.example!", ["A", "well", "known", "e", "mail", "a@b.example"]),
        ("3 of 10, 3.5 and 10:30; 3D and B2B", ["of", "and", "3D", "and", "B2B"]),
        ("회의가 너무 길어요. 자료는 좋았습니다!", ["회의가", "너무", "길어요", "자료는", "좋았습니다"]),
        ("酒店的服务很好", ["酒店", "的", "服务", "很好"]),
        ("会議は長いです", ["会議", "は", "長い", "です"]),
        ("สวัสดีชาวโลก", ["สวัสดี", "ชาว", "โลก"]),
        ("שלום לכולם, مرحبا بالعالم", ["שלום", "לכולם", "مرحبا", "بالعالم"]),
        ("👍🏽 great 🎉 … --- 100 %", ["great"]),
        ("", []), (" \n\t", []), ("\u{0301}", []),
    ]) func ofEachLanguage(text: String, expected: [String]) {
        #expect(Self.words(text) == expected)
    }

    @Test func whatIsDecomposedIsComposed() {
        let words = Self.words("cafe\u{301} \u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}")
        #expect(words.map { Array($0.unicodeScalars) } == [Array("café".unicodeScalars), Array("한국".unicodeScalars)])
    }

    @Test func textsOfAnyLengthAreReadOneAfterAnother() {
        var reader = WordReader()
        for length in [0, 1, 255, 256, 257, 10_000, 3] {
            var count = 0
            reader.read(String(repeating: "é ", count: length)) { _ in count += 1 }
            #expect(count == length)
        }
    }
}
