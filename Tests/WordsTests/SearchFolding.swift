import Testing
import Words

/// What a search finds, in any language.
@Suite struct SearchFolding {
    private static func finds(_ words: String, in text: String) -> Bool? {
        SearchWords(words)?.found(in: [text]).first
    }

    @Test(arguments: [
        ("DEMO", "the Demo was fine"), ("größe", "GRÖSSE"), ("STRASSE", "Straße"), ("straße", "STRASSE"),
        ("istanbul", "Istanbul"), ("i\u{307}stanbul", "İstanbul"), ("σοφοσ", "ΣΟΦΟΣ"), ("ΣΟΦΌΣ", "σοφός"),
        ("ПРИВЕТ", "привет, мир"), ("abc", "ＡＢＣ"), ("ｶﾀｶﾅ", "カタカナ"), ("café", "cafe\u{301} au lait"),
        ("cafe\u{301}", "Café"), ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}어"),
        ("\u{1112}\u{1161}\u{11AB}", "한국"), ("好", "很好"), ("服务", "酒店服务不错"), ("회의", "다음 회의가"),
        ("שלום", "אמר שלום לכולם"), ("❤", "❤️ it"), ("❤️", "we ❤ it"), ("👍", "👍"), ("e", "the"), ("%", "100 % sure"),
        ("_", "snake_case"), ("\\", "a\\b"), ("' OR 1=1 --", "x' or 1=1 -- y"), ("a.b", "A.B"), ("  demo\n", "demos"),
        ("more time", "More time"),
    ]) func isFound(words: String, text: String) {
        #expect(Self.finds(words, in: text) == true)
    }

    @Test(arguments: [
        ("demos", "demo"), ("100%", "100 % sure"), ("a_b", "axb"), ("a%b", "axxb"), ("é", "e"), ("e", "é"), ("좋", "조"),
        ("服务员", "服务"), ("x", ""), ("longer than it", "long"),
    ]) func isNotFound(words: String, text: String) {
        #expect(Self.finds(words, in: text) == false)
    }

    @Test(arguments: ["", " ", "\n\t\u{3000}\u{A0}", "\u{200D}", "\u{FE0F}\u{200B}"])
    func nothingToSeeIsNothingToSearchFor(words: String) {
        #expect(SearchWords(words) == nil)
    }

    @Test func manyTextsAreSearchedInTheirOrder() throws {
        let words = try #require(SearchWords("ö"))
        #expect(
            words.found(in: ["plain", nil, "Öl", "o", String(repeating: "x", count: 9_999) + "ö", ""]) == [
                false, false, true, false, true, false,
            ])
    }
}
