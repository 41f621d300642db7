extension Int: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int8 }
    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: Int64(self)) }

    /// Decodes any integer type, and a `numeric` without a fraction, such as the result of `sum(bigint)`.
    public static func decode(_ cell: Cell) throws(PostgresError) -> Int {
        let value: Int? =
            switch cell.type {
            case .int8: try cell.integer(Int64.self).flatMap(Int.init(exactly:))
            case .int4: try cell.integer(Int32.self).map(Int.init)
            case .int2: try cell.integer(Int16.self).map(Int.init)
            case .objectIdentifier: try cell.integer(UInt32.self).map(Int.init)
            case .numeric: Numeric.text(try cell.required()).flatMap { Int($0) }
            default: nil
            }
        guard let value else {
            _ = try cell.required()
            throw cell.mismatch(Int.self)
        }
        return value
    }
}

extension PostgresDecodable where Self: FixedWidthInteger {
    /// Decodes through `Int` and throws on overflow.
    public static func decode(_ cell: Cell) throws(PostgresError) -> Self {
        guard let value = Self(exactly: try Int.decode(cell)) else { throw cell.mismatch(Self.self) }
        return value
    }
}

extension Int64: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int8 }
    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
}

extension Int32: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int4 }
    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
}

extension Int16: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int2 }
    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
}

extension Bool: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .bool }
    public func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }

    public static func decode(_ cell: Cell) throws(PostgresError) -> Bool {
        let bytes = try cell.required()
        guard cell.type == .bool, bytes.count == 1 else { throw cell.mismatch(Bool.self) }
        return bytes[0] != 0
    }
}
