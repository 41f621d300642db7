extension Array: PostgresEncodable where Element: PostgresEncodable {
    public static var postgresType: PostgresType { Element.postgresArrayType ?? .unspecified }

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        try Element.encodeArray(self, into: &bytes)
    }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> [Element] {
        try Element.decodeArray(cell)
    }
}

extension UInt8: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int2 }
    /// An array of bytes is a `bytea` and not an array of integers. `[[UInt8]]` is `bytea[]`.
    public static var postgresArrayType: PostgresType? { .bytea }

    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: Int16(self)) }

    public static func encodeArray(_ values: [UInt8], into bytes: inout [UInt8]) {
        bytes.append(contentsOf: values)
    }

    public static func decodeArray(_ cell: Cell) throws(PostgresError) -> [UInt8] {
        let bytes = try cell.required()
        guard cell.type == .bytea else { throw cell.mismatch([UInt8].self) }
        return Array(bytes)
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    public static var postgresType: PostgresType { Wrapped.postgresType }
    public var isPostgresNull: Bool { self?.isPostgresNull ?? true }

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        try self?.encode(into: &bytes)
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> Wrapped? {
        cell.bytes == nil ? nil : try Wrapped.decode(cell)
    }
}
