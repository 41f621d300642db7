import Contract
import Foundation

/// A successful response with its complete body.
struct Reply: Sendable {
    let status: Int
    /// Names are in lower case.
    let headers: [String: String]
    let body: [UInt8]

    /// The media type without its parameters.
    var mediaType: String? { headers["content-type"].map { String($0.prefix { $0 != ";" }) } }

    func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do {
            return try ContractCoding.decoder().decode(Value.self, from: Data(body))
        } catch {
            throw AfterwordError.unexpected(status: status, "The response can't be decoded as \(Value.self): \(error)")
        }
    }

    func tagged<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Tagged<Value> {
        guard let tag = headers["etag"] else {
            throw AfterwordError.unexpected(status: status, "The response has no ETag.")
        }
        return Tagged(try value(), tag: ETag(tag))
    }
}
