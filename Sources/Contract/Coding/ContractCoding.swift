import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values of the contract as JSON, in the server and in the client: members in the order of their declaration, and RFC 3339
/// times in UTC.
public enum ContractCoding {
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        try JSONValue(encoding: value).bytes
    }

    /// It reads what a server sends, new fields included; a server reads requests strictly, by `ObjectReader`.
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
