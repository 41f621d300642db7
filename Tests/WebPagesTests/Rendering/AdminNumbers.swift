import Testing

@testable import WebPages

/// Numbers and days on the pages for admins.
@Suite struct AdminNumbers {
    @Test func countsHaveSeparatorsAndMillisecondsHaveOneDecimal() {
        #expect(HealthPages.formatted(1_502, in: .english) == "1,502")
        #expect(HealthPages.milliseconds(.microseconds(1_260), in: .english) == "1.3 ms")
        #expect(HealthPages.formatted(1_502, in: .german) == "1.502")
        #expect(HealthPages.milliseconds(.microseconds(1_260), in: .german) == "1,3 ms")
    }

    @Test func dayAfterRespectsLeapYearsAndYearEnds() {
        #expect(AdminExportPages.dayAfter("2026-12-31") == "2027-01-01")
        #expect(AdminExportPages.dayAfter("2024-02-28") == "2024-02-29")
        #expect(AdminExportPages.dayAfter("someday") == nil)
    }
}
