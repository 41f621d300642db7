import Testing

@testable import WebPages

/// The number formats of all pages.
@Suite struct NumberFormatting {
    @Test(
        arguments: [
            (0.404, 2, "+0.40"), (-0.404, 2, "−0.40"), (0.001, 2, "±0.00"), (-0.4, 0, "±0"), (12.5, 0, "+13"),
            (-12.5, 0, "−13"), (-200, 0, "−200"), (-0.125, 2, "−0.13"),
        ])
    func changesHaveASign(value: Double, places: Int, expected: String) {
        #expect(NumberText.difference(value, places: places, in: .english) == expected)
    }

    private static func decimal(_ value: Double, places: Int = 2) -> String {
        NumberText.decimal(value, places: places, in: .english)
    }

    private static func short(_ value: Double) -> String { NumberText.short(value, in: .english) }

    @Test func scoresHaveAPlusSignUnlikePlainNumbers() {
        #expect(Self.decimal(3.754) == "3.75" && Self.decimal(-8.7) == "−8.70")
        #expect(Self.decimal(0) == "0.00" && Self.decimal(-0.001) == "0.00")
        #expect(NumberText.score(33.4) == "+33" && NumberText.score(-8.6) == "−9" && NumberText.score(0.2) == "0")
        #expect(Self.short(3) == "3" && Self.short(2.5) == "2.5" && Self.short(10) == "10")
    }

    @Test func decimalsAreSeparatedAsInTheLanguage() {
        #expect(NumberText.decimal(-3.754, in: .german) == "−3,75" && NumberText.short(2.5, in: .german) == "2,5")
        #expect(NumberText.difference(0.4, in: .german) == "+0,40" && NumberText.short(3, in: .german) == "3")
        #expect(NumberText.decimal(3.754, in: .korean) == "3.75")
        #expect(TrendChart.Unit.mean.text(4.5, in: .german) == "4,50")
    }

    @Test func smallAndLargeNumbersHaveAllTheirDigits() {
        #expect(Self.decimal(0.05) == "0.05" && Self.decimal(-0.4, places: 0) == "0")
        #expect(Self.decimal(123_456_789.25) == "123456789.25")
        #expect(Self.decimal(1e16) == "10000000000000000.00")
        #expect(NumberText.percent(0) == "0 %" && NumberText.percent(1) == "100 %")
        #expect(NumberText.percent(-0.25) == "−25 %")
    }

    /// The binary values of 2.675, 0.285 and 1.005 are slightly below the decimal ones.
    @Test func halvesAreRoundedAwayFromZeroByTheirDecimalValue() {
        #expect(Self.decimal(2.675) == "2.68" && Self.decimal(1.005) == "1.01")
        #expect(Self.decimal(0.125) == "0.13" && Self.decimal(2.45, places: 1) == "2.5")
        #expect(NumberText.percent(0.285) == "29 %" && NumberText.percent(0.545) == "55 %")
        #expect(NumberText.percent(1.0 / 3) == "33 %" && NumberText.percents(0.005, 0.385) == "1–39 %")
        #expect(NumberText.points(-0.145) == "−15" && NumberText.points(0.00001) == "±0")
        func text(_ value: Double, _ unit: TrendChart.Unit) -> String { unit.text(value, in: .english) }
        #expect(text(12.5, .score) == "+13" && text(0.125, .share) == "13 %")
        #expect(text(2.675, .mean) == "2.68" && TrendChart.Unit.score.tick(-50) == "−50")
    }
}
