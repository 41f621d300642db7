import Contract
import Foundation
import StrictJSON

extension HTTPTestClient.Response {
    /// The body, decoded as a value of the contract.
    public func decoded<Body: Decodable>(as type: Body.Type = Body.self) throws -> Body {
        do {
            return try ContractCoding.decoder().decode(type, from: Data(body))
        } catch {
            throw TestStore.Missing("a \(type) in the \(status) \(text): \(error)")
        }
    }

    /// The string at this key of a JSON object.
    public func string(_ name: String) throws -> String {
        guard let text = json?[name]?.string else { throw TestStore.Missing("\(name) in the \(status) \(text)") }
        return text
    }
}
