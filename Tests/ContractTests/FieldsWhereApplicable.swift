import Contract
import Foundation
import Testing

@Suite struct FieldsWhereApplicable {
    private struct Body: Codable, Equatable {
        @WhereApplicable var code: String?
    }

    private func text(_ body: Body) throws -> String {
        String(decoding: try ContractCoding.encode(body), as: UTF8.self)
    }

    @Test func fieldIsOmittedUnlessItApplies() throws {
        var body = Body(code: nil)
        #expect(try text(body) == "{}")
        body.$code.isApplicable = true
        #expect(try text(body) == #"{"code":null}"#)
        body.code = "x"
        #expect(try text(body) == #"{"code":"x"}"#)
        #expect(try text(Body(code: "y")) == #"{"code":"y"}"#)
    }

    @Test(arguments: ["{}", #"{"code":null}"#, #"{"code":"x"}"#])
    func decodedBodiesAreEncodedUnchanged(_ json: String) throws {
        let body = try ContractCoding.decoder().decode(Body.self, from: Data(json.utf8))
        #expect(try text(body) == json)
        #expect(String(decoding: try JSONEncoder().encode(body), as: UTF8.self) == json)
    }
}
