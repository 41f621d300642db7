import StrictJSON
import Testing

@Suite struct JSONWriting {
    @Test func controlsQuotesAndBackslashesAreEscapedAndTheRestIsRaw() {
        let text = "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é한😀\u{2028}"
        #expect(JSONValue.string(text).text == #""\"\\/\b\f\n\r\t\u0000\u001f"# + "\u{7f}é한😀\u{2028}\"")
    }

    @Test func outputIsCompactAndKeepsTheOrder() throws {
        let text = #"{"z":[1,2.50,{"a":null}],"b":[true,false],"":{}}"#
        #expect(try JSONValue.parse(text).text == text)
    }

    @Test func everyScalarRoundTrips() throws {
        for scalar in [0x00...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF].joined().lazy.filter({ $0 % 7 < 2 }) {
            guard let scalar = Unicode.Scalar(UInt32(scalar)) else { continue }
            let value = JSONValue.string("a\(Character(scalar))\\b")
            let parsed = try JSONValue.parse(value.bytes)
            #expect(parsed.string.map { Array($0.utf8) } == value.string.map { Array($0.utf8) })
        }
    }

    @Test func concatenatedStringIsEscaped() {
        let joined = String(["a", "\"", "ü"].joined())
        #expect(JSONValue.string(joined).text == #""a\"ü""#)
    }
}
