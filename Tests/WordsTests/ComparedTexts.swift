import Testing
import Words

/// Texts that differ only in case, width and white space are equal.
@Suite struct ComparedTexts {
    @Test(arguments: [
        ("nothing", " Nothing \n"), ("No  idea", "no\tidea"), ("a\u{3000}b", "a b"), ("a \r\n\n b", "a b"),
        ("STRASSE", "straße"), ("ＡＢＣ", "abc"), ("e\u{301}", "É"), ("❤", "❤️"), ("없음", " 없음"),
        ("\u{1112}\u{1161}\u{11AB}", "한"), ("", " \u{A0}"),
    ]) func textsAreEqual(first: String, second: String) {
        #expect(ComparedText(first) == ComparedText(second))
    }

    @Test(arguments: [("nothing", "nothing."), ("no idea", "noidea"), ("e", "é"), ("good", "goods"), ("", "a")])
    func textsAreDifferent(first: String, second: String) {
        #expect(ComparedText(first) != ComparedText(second))
    }

    @Test func groupsAreInTheOrderOfTheirFirstTexts() {
        let texts = ["b", "a", "B ", "c", "A", " b"]
        #expect(ComparedText.groups(of: texts) == [[0, 2, 5], [1, 4], [3]])
        #expect(ComparedText.groups(of: [String]()).isEmpty)
    }
}
