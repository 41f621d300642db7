/// A value that can be decoded from PostgreSQL's binary format.
public protocol PostgresDecodable: Sendable {
    static func decode(_ cell: Cell) throws(PostgresError) -> Self
    /// Decodes an array of these values. This is a requirement of the protocol, so that `UInt8` can decode `bytea`.
    static func decodeArray(_ cell: Cell) throws(PostgresError) -> [Self]
}

extension PostgresDecodable {
    public static func decodeArray(_ cell: Cell) throws(PostgresError) -> [Self] {
        var reader = ArrayReader(try cell.required())
        guard let header = reader.readHeader() else { throw cell.mismatch([Self].self) }
        var values: [Self] = []
        values.reserveCapacity(header.count)
        for _ in 0..<header.count {
            guard let element = reader.readElement() else { throw cell.mismatch([Self].self) }
            values.append(try decode(Cell(type: header.type, bytes: element.bytes, column: cell.column)))
        }
        return values
    }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> Self {
        guard let value = Self(rawValue: try RawValue.decode(cell)) else { throw cell.mismatch(Self.self) }
        return value
    }
}
