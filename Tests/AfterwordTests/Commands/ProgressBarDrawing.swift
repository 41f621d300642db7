import Testing

@testable import afterword

@Suite struct ProgressBarDrawing {
    @Test func lineShowsTheCompletedShare() {
        #expect(
            ProgressBar.line("Counting", 18_355, 73_421)
                == "Counting [#######-----------------------]  24 %  18,355 of 73,421")
        #expect(
            ProgressBar.line("Counting", 80, 73)
                == "Counting [##############################] 100 %  80 of 73")
    }

    @Test func lineWithoutATotalShowsACount() {
        #expect(ProgressBar.line("Reading", 1_234, 0) == "Reading 1,234")
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-12_345, "-12,345")])
    func digitsAreGrouped(number: Int, text: String) {
        #expect(number.grouped == text)
    }
}
