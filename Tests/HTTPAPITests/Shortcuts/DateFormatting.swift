import Testing

@testable import HTTPServer

@Suite struct DateFormatting {
    /// The example of RFC 9110, section 5.6.7, the seconds before and after the start of a leap day, and the epoch.
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ])
    func datesMatchTheRFC(second: Int, text: String) {
        #expect(DateHeader().text(at: second) == text)
    }

    @Test func everySecondHasItsOwnDate() {
        let header = DateHeader()
        let texts = (0..<100).map { header.text(at: 1_000_000_000 + $0 / 2) }
        #expect(Set(texts).count == 50)
    }
}
