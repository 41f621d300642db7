import Testing

@testable import Charts

@Suite struct TextFitting {
    private static let words = [
        "The", "discussion", "데모가", "演示和之后的讨论", "العرض", "e\u{301}", "🎉", "WWWWWWWWWWWWWWWWWWWWWWWW", "i", "-", "a-b",
    ]

    private func randomText(_ random: inout some RandomNumberGenerator) -> String {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in Self.words.randomElement(using: &random) ?? "" }
            .joined(separator: " ")
    }

    @Test func onlyTheLastLineIsTruncated() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let text = randomText(&random)
            let maxLines = Int.random(in: 1...4, using: &random)
            let width = Double.random(in: 20...300, using: &random)
            let lines = TextFit.lines(text, within: width, size: 13, atMost: maxLines)
            #expect(lines.count <= maxLines)
            let joined = lines.joined().filter { $0 != " " }
            let expected = text.filter { $0 != " " }
            if lines.last?.hasSuffix("…") == true {
                #expect(expected.hasPrefix(joined.dropLast()), "\(text)")
            } else {
                #expect(joined == expected, "\(text)")
            }
        }
    }

    @Test func linesFitTheirWidth() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let text = randomText(&random)
            for line in TextFit.lines(text, within: 120, size: 13, atMost: 3) {
                #expect(TextFit.width(line, size: 13) <= 121, "\(line)")
            }
        }
    }

    @Test func linesBreakAtSpacesHyphensAndEastAsianCharacters() {
        #expect(TextFit.lines("one two three", within: 60, size: 13, atMost: 3) == ["one two", "three"])
        #expect(TextFit.lines("演示和之后的讨论", within: 60, size: 13, atMost: 9) == ["演示和之", "后的讨论"])
        #expect(TextFit.lines("Donaudampfschiff", within: 60, size: 13, atMost: 2).count == 2)
        #expect(TextFit.lines("well-known words", within: 50, size: 13, atMost: 3) == ["well-", "known", "words"])
        #expect(TextFit.lines("from -70.3 up", within: 42, size: 13, atMost: 3) == ["from", "-70.3", "up"])
        #expect(TextFit.lines("", within: 60, size: 13, atMost: 2) == [])
    }

    @Test(arguments: [
        (0.0, "0%"), (0.0001, "<0.1%"), (0.0005, "0.1%"), (0.054, "5.4%"), (0.5, "50%"), (0.9994, "99.9%"),
        (0.9996, ">99.9%"), (1, "100%"),
    ])
    func onlyExactSharesAreZeroOrOneHundredPercent(share: Double, text: String) {
        #expect(NumberFormat.percent(share) == text)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")])
    func countsHaveThousandsSeparators(count: Int, text: String) {
        #expect(NumberFormat.count(count) == text)
    }

    @Test(arguments: [
        (9_999, "9999"), (10_000, "10k"), (999_999, "999.9k"), (1_250_000, "1.2M"), (2_000_000_000, "2G"),
    ])
    func compactCountsAreRoundedDown(count: Int, text: String) {
        #expect(NumberFormat.compact(count) == text)
    }

    @Test func numbersAreRoundedToTheirDecimals() {
        #expect(
            NumberFormat.mean(2.675) == "2.68" && NumberFormat.short(2.45) == "2.5"
                && NumberFormat.percent(0.1145) == "11.5%")
        #expect(
            NumberFormat.mean(3.7549) == "3.75" && NumberFormat.mean(-0.5) == "-0.50" && NumberFormat.mean(4) == "4.00")
        #expect(
            NumberFormat.short(-12.34) == "-12.3" && NumberFormat.short(50) == "50"
                && NumberFormat.coordinate(0.05) == "0.05")
    }
}
