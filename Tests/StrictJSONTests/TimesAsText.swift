import Foundation
import StrictJSON
import Testing

@Suite struct TimesAsText {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-21T09:30:00Z", 1_795_253_400),
            ("2026-11-21t09:30:00z", 1_795_253_400),
            ("2026-11-21T10:30:00+01:00", 1_795_253_400), ("2026-11-21T00:00:00-09:30", 1_795_253_400),
            ("2026-11-21T09:30:00-00:00", 1_795_253_400), ("2024-02-29T23:59:59Z", 1_709_251_199),
            ("2000-02-29T00:00:00Z", 951_782_400), ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("1969-12-31T23:59:59Z", -1),
        ] as [(String, Double)])
    func timesAreParsed(_ text: String, _ seconds: Double) {
        #expect(RFC3339.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test func fractionsOfSecondsAreParsed() {
        #expect(RFC3339.parse("1970-01-01T00:00:01.25Z")?.timeIntervalSince1970 == 1.25)
        let long = RFC3339.parse("1970-01-01T00:00:00.\(String(repeating: "9", count: 400))Z")
        #expect(long.map { $0.timeIntervalSince1970 <= 1 } == true)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T24:10:00Z", "2026-11-21T24:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-11-00T00:00:00Z", "2026-11-21T09:60:00Z", "2026-11-21T23:59:60Z", "2026-11-21T09:30:00",
        "2026-11-21 09:30:00Z", "2026-11-21T09:30Z", "2026-11-21T09:30:00.Z", "2026-11-21T09:30:00+24:00",
        "2026-11-21T09:30:00+01:60", "2026-11-21T09:30:00+0100", "2026-11-21T09:30:00Zx", " 2026-11-21T09:30:00Z",
        "26-11-21T09:30:00Z", "+2026-11-21T09:30:00Z", "２026-11-21T09:30:00Z",
    ])
    func invalidTimesAreNil(_ text: String) {
        #expect(RFC3339.parse(text) == nil)
    }

    @Test func writtenTimesAreTruncatedToSeconds() {
        #expect(RFC3339.format(Date(timeIntervalSince1970: 1_795_253_400.999)) == "2026-11-21T09:30:00Z")
        #expect(RFC3339.format(Date(timeIntervalSince1970: -0.5)) == "1969-12-31T23:59:59Z")
    }

    @Test func timesOutsideFourDigitYearsAreClamped() {
        #expect(RFC3339.format(Date(timeIntervalSince1970: .infinity)) == "9999-12-31T23:59:59Z")
        #expect(RFC3339.format(Date(timeIntervalSince1970: -1e300)) == "0000-01-01T00:00:00Z")
        #expect(RFC3339.format(Date(timeIntervalSince1970: .nan)) == "0000-01-01T00:00:00Z")
    }

    @Test func timesRoundTripAndAgreeWithFoundation() throws {
        var random = SplitMix(state: 5)
        let style = Date.ISO8601FormatStyle()
        for _ in 0..<5000 {
            let date = Date(
                timeIntervalSince1970: Double(Int.random(in: -12_219_292_800...253_402_300_799, using: &random)))
            let text = RFC3339.format(date)
            #expect(RFC3339.parse(text) == date)
            #expect(text == style.format(date))
        }
    }
}
