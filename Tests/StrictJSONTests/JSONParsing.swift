import StrictJSON
import Testing

@Suite struct JSONParsing {
    @Test func everyKindOfValueIsRead() throws {
        let value = try JSONValue.parse(#" {"a": [1, -0.5e+3, true, false, null], "b": {"c": "d"}, "e": []} "#)
        #expect(
            value
                == .object([
                    .init("a", .array([.number("1"), .number("-0.5e+3"), .bool(true), .bool(false), .null])),
                    .init("b", .object([.init("c", .string("d"))])),
                    .init("e", .array([])),
                ]))
    }

    @Test func membersKeepTheirOrder() throws {
        let names = try JSONValue.parse(#"{"z":1,"a":2,"m":3}"#).members?.map(\.name)
        #expect(names == ["z", "a", "m"])
    }

    @Test func escapesAreDecoded() throws {
        let value = try JSONValue.parse(#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u0000""#)
        #expect(value.string == "\"\\/\u{8}\u{c}\n\r\té😀\u{0}")
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1,]", "{\"a\":1,}", "[1 2]", "{\"a\" 1}", "{a:1}", "{'a':1}", "{1:1}", "{\"a\":}", "[,1]",
        "01", "-", "-01", "1.", ".5", "+1", "1e", "1e+", "0x10", "NaN", "Infinity", "-Infinity", "tru", "nul", "True",
        "1 2", "{} x", "[1]]", "/* c */ 1", "1 // c", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\t\"",
        "\"\u{0}\"", "\"a\nb\"", "\u{feff}1", "\u{a0}1",
    ])
    func invalidJSONIsRefused(_ text: String) {
        let fault = #expect(throws: Fault.self) { try JSONValue.parse(text) }
        #expect(fault?.code == "invalid-json")
        #expect(fault?.kind == .malformed)
    }

    @Test(arguments: [#""\uD83D""#, #""\uDE00""#, #""\uD83D\u0041""#, #""\uD83Dx""#, #""\uDE00\uD83D""#])
    func loneSurrogatesAreRefused(_ text: String) {
        let fault = #expect(throws: Fault.self) { try JSONValue.parse(text) }
        #expect(fault?.code == "invalid-json")
        #expect(fault?.detail.contains("surrogate") == true)
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
            [0x22, 0xE2, 0x82, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22], [0xFF], [0x5B, 0x80, 0x5D],
        ] as [[UInt8]])
    func invalidUTF8IsReported(_ bytes: [UInt8]) {
        let fault = #expect(throws: Fault.self) { try JSONValue.parse(bytes) }
        #expect(fault?.code == "invalid-utf8")
    }

    @Test func faultNamesTheByteOffset() {
        let fault = #expect(throws: Fault.self) { try JSONValue.parse(#"{"a": 1,}"#) }
        #expect(fault?.detail.hasSuffix("at byte 8.") == true)
        #expect(fault?.pointer == "")
    }

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, "/a"), (#"{"a":1,"\u0061":2}"#, "/a"), (#"{"x":[0,{"a/b":1,"a/b":2}]}"#, "/x/1/a~1b"),
        (#"{"~":{"":1,"":2}}"#, "/~0/"), (#"{"~\u0301/\u0301":1,"~\u0301/\u0301":2}"#, "/~0\u{301}~1\u{301}"),
    ])
    func duplicateMemberIsRefusedWithItsPointer(_ text: String, _ pointer: String) {
        let fault = #expect(throws: Fault.self) { try JSONValue.parse(text) }
        #expect(fault?.code == "duplicate-field")
        #expect(fault?.pointer == pointer)
    }

    @Test(arguments: [15, 16, 17, 18, 400])
    func duplicateAmongManyMembersIsRefused(_ count: Int) throws {
        let members = (0..<count).map { #""k\#($0)":\#($0)"# }
        #expect(try JSONValue.parse("{\(members.joined(separator: ","))}").members?.count == count)
        for repeated in [0, count / 2, count - 1] {
            let text = "{\(members.joined(separator: ",")),\"k\(repeated)\":0}"
            let fault = #expect(throws: Fault.self) { try JSONValue.parse(text) }
            #expect(fault?.pointer == "/k\(repeated)")
        }
    }

    @Test func tooDeepNestingIsRefused() throws {
        let nested = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        _ = try JSONValue.parse(nested(32))
        #expect(throws: Fault.self) { try JSONValue.parse(nested(33)) }
        #expect(throws: Fault.self) { try JSONValue.parse(String(repeating: "[", count: 1_000_000)) }
        #expect(throws: Fault.self) { try JSONValue.parse(String(repeating: #"{"a":"#, count: 1_000_000)) }
        _ = try JSONValue.parse("[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]", maxDepth: 3)
    }

    @Test func moreValuesThanAllowedAreRefused() throws {
        let text = #"{"a": [1, {"b": null}], "c": "d"}"#
        _ = try JSONValue.parse(text, maxValues: 6)
        let fault = #expect(throws: Fault.self) { try JSONValue.parse(text, maxValues: 5) }
        #expect(fault?.detail.contains("more than 5 values") == true)
    }

    @Test func collectionsWithoutContiguousBytesAreParsed() throws {
        #expect(try JSONValue.parse(Array(" [1] ".utf8).lazy.map { $0 }) == .array([.number("1")]))
    }
}
