import Foundation
import StrictJSON
import Testing

@Suite struct CodableValues {
    @Test func valuesRoundTripThroughSwiftsCoders() throws {
        let value = try JSONValue.parse(#"{"a":[1,2.5,true,false,null,"x"],"b":{},"c":"y"}"#)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(value)
        #expect(try JSONValue.parse(data) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
    }

    @Test func numberOutsideDoublesRangeIsAnEncodingError() {
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([JSONValue.number("1e400")]) }
    }

    @Test func accessorsReturnNilForOtherKinds() throws {
        let value = try JSONValue.parse(#"{"a":[10,null],"s":"x","b":true}"#)
        #expect(value["a"]?[0]?.int == 10)
        #expect(value["a"]?[1]?.isNull == true)
        #expect(value["a"]?[2] == nil)
        #expect(value["s"]?.string == "x")
        #expect(value["b"]?.bool == true)
        #expect(value["none"] == nil)
        #expect(value["s"]?["x"] == nil)
        #expect(value["s"]?.bool == nil)
        #expect(value["b"]?.string == nil)
        #expect(JSONValue(nil as Int?) == .null)
        #expect(JSONValue(nil as Double?) == .null)
        #expect(JSONValue("t" as String?) == .string("t"))
    }
}
