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
        #expect(NumberText.difference(value, places: places) == expected)
    }

    @Test func scoresHaveAPlusSignUnlikePlainNumbers() {
        #expect(NumberText.decimal(3.754) == "3.75" && NumberText.decimal(-8.7) == "−8.70")
        #expect(NumberText.decimal(0) == "0.00" && NumberText.decimal(-0.001) == "0.00")
        #expect(NumberText.score(33.4) == "+33" && NumberText.score(-8.6) == "−9" && NumberText.score(0.2) == "0")
        #expect(NumberText.short(3) == "3" && NumberText.short(2.5) == "2.5" && NumberText.short(10) == "10")
    }

    @Test func smallAndLargeNumbersHaveAllTheirDigits() {
        #expect(NumberText.decimal(0.05) == "0.05" && NumberText.decimal(-0.4, places: 0) == "0")
        #expect(NumberText.decimal(123_456_789.25) == "123456789.25")
        #expect(NumberText.decimal(1e16) == "10000000000000000.00")
        #expect(NumberText.percent(0) == "0 %" && NumberText.percent(1) == "100 %")
        #expect(NumberText.percent(-0.25) == "−25 %")
    }

    /// The binary values of 2.675, 0.285 and 1.005 are slightly below the decimal ones.
    @Test func halvesAreRoundedAwayFromZeroByTheirDecimalValue() {
        #expect(NumberText.decimal(2.675) == "2.68" && NumberText.decimal(1.005) == "1.01")
        #expect(NumberText.decimal(0.125) == "0.13" && NumberText.decimal(2.45, places: 1) == "2.5")
        #expect(NumberText.percent(0.285) == "29 %" && NumberText.percent(0.545) == "55 %")
        #expect(NumberText.percent(1.0 / 3) == "33 %" && NumberText.percents(0.005, 0.385) == "1–39 %")
        #expect(NumberText.points(-0.145) == "−15" && NumberText.points(0.00001) == "±0")
        #expect(TrendChart.Unit.score.text(12.5) == "+13" && TrendChart.Unit.share.text(0.125) == "13 %")
        #expect(TrendChart.Unit.mean.text(2.675) == "2.68" && TrendChart.Unit.score.tick(-50) == "−50")
    }
}
