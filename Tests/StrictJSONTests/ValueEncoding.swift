import Foundation
import StrictJSON
import Testing

@Suite struct ValueEncoding {
    private struct Plain: Encodable {
        var zeta = "é\"\n"
        var alpha = 3
        var ratio = 0.1
        var whole = 4.0
        var isOn = true
        var missing: String?
        var small: Int8 = -7
        var large = UInt64.max
        var at = Date(timeIntervalSince1970: 1_795_253_400)
        var parts: [[Int?]] = [[1, nil], []]
        var raw = JSONValue.object([.init("b", .number("1.50")), .init("a", .null)])
    }

    /// Encodes two values as one object. The second value repeats a member name of the first.
    private struct Merged: Encodable {
        private enum Keys: CodingKey { case alpha, more }

        func encode(to encoder: any Encoder) throws {
            try Plain().encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encodeNil(forKey: .alpha)
            var more = container.nestedUnkeyedContainer(forKey: .more)
            var nested = more.nestedContainer(keyedBy: Keys.self)
            try nested.encode(more.count, forKey: .alpha)
        }
    }

    private struct Empty: Encodable {}

    private static let textBeforeAlpha = #"{"zeta":"é\"\n","alpha":"#
    private static let textAfterAlpha =
        #","ratio":0.1,"whole":4,"isOn":true,"small":-7,"large":18446744073709551615,"at":"2026-11-21T09:30:00Z","#
        + #""parts":[[1,null],[]],"raw":{"b":1.50,"a":null}"#

    @Test func membersKeepTheOrderOfTheirDeclaration() throws {
        #expect(try JSONValue(encoding: Plain()).text == Self.textBeforeAlpha + "3" + Self.textAfterAlpha + "}")
    }

    @Test func containersOfOneEncoderAreMerged() throws {
        #expect(
            try JSONValue(encoding: Merged()).text
                == Self.textBeforeAlpha + "null" + Self.textAfterAlpha + #","more":[{"alpha":1}]}"#)
    }

    @Test func emptyAndSingleValuesAreEncoded() throws {
        #expect(try JSONValue(encoding: Empty()).text == "{}")
        #expect(try JSONValue(encoding: [Empty]()).text == "[]")
        #expect(try JSONValue(encoding: "x").text == #""x""#)
        #expect(try JSONValue(encoding: nil as Int?).text == "null")
    }

    @Test func membersOfADictionaryAreSortedByName() throws {
        let values = Dictionary(uniqueKeysWithValues: "gfedcba".map { (String($0), [String($0): 1]) })
        #expect(
            try JSONValue(encoding: values).text
                == "{" + "abcdefg".map { #""\#($0)":{"\#($0)":1}"# }.joined(separator: ",") + "}")
    }

    @Test func numbersThatJSONCannotRepresentAreNull() throws {
        #expect(try JSONValue(encoding: [Double.nan, .infinity, -0.5]).text == "[null,null,-0.5]")
    }
}
