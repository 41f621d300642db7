import Foundation
import StrictJSON

/// JSON as the API uses it: members in the order of their declaration, RFC 3339 times in UTC.
public enum ContractCoding {
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        try JSONValue(encoding: value).bytes
    }

    /// Returns a decoder for responses, which ignores unknown fields. The server decodes requests strictly, with
    /// `ObjectReader`.
    public static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = RFC3339.parse(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not an RFC 3339 time")
            }
            return date
        }
        return decoder
    }
}
