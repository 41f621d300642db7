import StrictJSON
import Testing

@Suite struct JSONNumbers {
    @Test(
        arguments: [
            ("3", 3), ("-3", -3), ("0", 0), ("-0", 0), ("3.0", 3), ("3e0", 3), ("30e-1", 3), ("0.3E1", 3),
            ("1.50e1", 15),
            ("3E+2", 300), ("0e999999999999999999999", 0), ("0.000", 0), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("922337203685477580.7e1", .max),
            ("100000000000000000000e-2", 1_000_000_000_000_000_000),
        ] as [(String, Int)])
    func wholeNumbersAreExact(_ text: String, _ expected: Int) {
        #expect(JSONValue.number(text).int == expected)
    }

    @Test(arguments: ["3.5", "0.1", "1e-1", "-2.5e-3", "1e-99999999999999999999", "9007199254740993.5"])
    func fractionsAreNotIntegers(_ text: String) {
        #expect(JSONValue.number(text).integer == .fractional)
        #expect(JSONValue.number(text).int == nil)
    }

    @Test(arguments: [
        "1e400", "9223372036854775808", "-9223372036854775809", "1e19", "1e99999999999999999999",
        "1e9223372036854775807",
        "123456789012345678901234567890e1",
    ])
    func wholeNumbersOutsideTheRangeAreReported(_ text: String) {
        #expect(JSONValue.number(text).integer == .beyondRange)
    }

    @Test func doublesAreFiniteOrNil() {
        #expect(JSONValue.number("1.25").double == 1.25)
        #expect(JSONValue.number("1e400").double == nil)
        #expect(JSONValue.string("1").double == nil)
        #expect(JSONValue.string("1").int == nil)
    }

    @Test func doublesAreWrittenShortAndRoundTrip() {
        #expect(JSONValue(4.0).text == "4")
        #expect(JSONValue(-0.5).text == "-0.5")
        #expect(JSONValue(Double.nan) == .null)
        #expect(JSONValue(Double.infinity) == .null)
        for value in [0.1, 1.0 / 3, 3.75, 1e-7, 6.02e23, .leastNonzeroMagnitude, .greatestFiniteMagnitude] {
            #expect(JSONValue(value).double == value)
            #expect((try? JSONValue.parse(JSONValue(value).bytes)) == JSONValue(value))
        }
    }
}
