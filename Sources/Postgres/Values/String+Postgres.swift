extension String: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .text }

    public func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }

    public static func decode(_ cell: Cell) throws(PostgresError) -> String {
        var bytes = try cell.required()
        switch cell.type {
        case .text, .varchar, .bpchar, .name, .char, .unknown, .json: break
        case .jsonb:
            guard bytes.first == 1 else { throw cell.mismatch(String.self) }
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        default:
            guard cell.type.isUserDefined else { throw cell.mismatch(String.self) }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw cell.mismatch(String.self) }
        return text
    }
}

/// A JSON text for a `jsonb` column. The server validates it.
public struct JSONB: Sendable, Hashable, PostgresEncodable, PostgresDecodable {
    public let bytes: [UInt8]
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public init(bytes: [UInt8]) { self.bytes = bytes }
    public init(_ text: String) { bytes = Array(text.utf8) }

    public static var postgresType: PostgresType { .jsonb }

    public func encode(into buffer: inout [UInt8]) {
        // The version of the binary format of jsonb.
        buffer.append(1)
        buffer.append(contentsOf: bytes)
    }

    public static func decode(_ cell: Cell) throws(PostgresError) -> JSONB {
        let bytes = try cell.required()
        switch cell.type {
        case .json: return JSONB(bytes: Array(bytes))
        case .jsonb where bytes.first == 1: return JSONB(bytes: Array(bytes.dropFirst()))
        default: throw cell.mismatch(JSONB.self)
        }
    }
}
