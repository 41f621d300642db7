import Testing
import Words

/// Matches of a search in any language.
@Suite struct SearchFolding {
    private static func finds(_ query: String, in text: String) -> Bool? {
        SearchQuery(query)?.found(in: [text]).first
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
    ]) func queryIsFound(query: String, text: String) {
        #expect(Self.finds(query, in: text) == true)
    }

    @Test(arguments: [
        ("demos", "demo"), ("100%", "100 % sure"), ("a_b", "axb"), ("a%b", "axxb"), ("é", "e"), ("e", "é"), ("좋", "조"),
        ("服务员", "服务"), ("x", ""), ("longer than it", "long"),
    ]) func queryIsNotFound(query: String, text: String) {
        #expect(Self.finds(query, in: text) == false)
    }

    @Test(arguments: ["", " ", "\n\t\u{3000}\u{A0}", "\u{200D}", "\u{FE0F}\u{200B}"])
    func queryOfInvisibleCharactersIsNil(query: String) {
        #expect(SearchQuery(query) == nil)
    }

    @Test func textsAreSearchedInOrder() throws {
        let query = try #require(SearchQuery("ö"))
        let texts = ["plain", "Öl", "o", String(repeating: "x", count: 9_999) + "ö", ""]
        #expect(query.found(in: texts) == [false, true, false, true, false])
    }

    @Test func searchStartsNoTextAfterItsDeadline() throws {
        let query = try #require(SearchQuery("o"))
        #expect(query.found(in: ["one", "two"], until: .now - .seconds(1)) == [true])
        #expect(query.found(in: ["one", "two"], until: .now + .seconds(600)) == [true, true])
        #expect(query.found(in: [String](), until: .now - .seconds(1)).isEmpty)
    }

    @Test func lengthIsCountedAfterFolding() throws {
        #expect(try #require(SearchQuery("  ẞ ")).length == 2)
        #expect(try #require(SearchQuery("e\u{301}👍")).length == 3)
        #expect(try #require(SearchQuery("\u{FDFA}")).length == 18)
    }
}

/// The time of a search is linear in the length of the text, whatever the text contains. With these lengths,
/// quadratic work would take many minutes.
@Suite(.timeLimit(.minutes(1))) struct HostileTexts {
    @Test func partialMatchesAreNotComparedAgain() throws {
        let marks = String(repeating: "\u{301}", count: 60_000)
        let query = try #require(SearchQuery(String(repeating: "\u{301}", count: 30_000) + "b"))
        let found = query.found(in: ["a" + marks, marks + "b"])
        #expect(found == [false, true])
        let plain = try #require(SearchQuery(String(repeating: "a", count: 60_000) + "b"))
        let text = String(repeating: "a", count: 200_000)
        let foundPlain = plain.found(in: [text, text + "B"])
        #expect(foundPlain == [false, true])
    }

    @Test(arguments: [
        ["\u{316}", "\u{301}"], ["\u{301}", "\u{316}"], ["\u{F73}"], ["\u{F72}", "\u{F71}"], ["\u{1161}"], ["\u{FE0F}"],
    ])
    func longRunsOfMarksAreNotSorted(marks: [String]) throws {
        let units = (0..<400_000 / marks.count).map { marks[($0 / 100_000) % marks.count] }.joined()
        let mixed = String(repeating: marks.joined(), count: 400_000 / marks.count)
        for text in ["a" + units, "a" + mixed] {
            let found = SearchQuery("b")?.found(in: [text, text + "b"])
            #expect(found == [false, true])
            var count = TermCount()
            count.add([text + " word"])
            #expect(count.terms(limit: 5).map(\.text).contains("word"))
        }
    }

    /// No language uses sixty-four marks. With more marks, only the same order matches.
    @Test func orderOfUpToSixtyFourMarksDoesNotMatter() {
        for count in [1, 20, 32] {
            let mixed = "e" + String(repeating: "\u{301}\u{316}", count: count)
            let apart = "e" + String(repeating: "\u{316}", count: count) + String(repeating: "\u{301}", count: count)
            #expect(SearchQuery(apart)?.found(in: ["x" + mixed + "y"]) == [true], "\(count)")
        }
        let many = "e" + String(repeating: "\u{301}\u{316}", count: 5_000)
        let found = SearchQuery(many)?.found(in: [many.uppercased(), "x" + many + "y", String(many.dropLast())])
        #expect(found == [true, true, false])
    }
}
