/// An instant with PostgreSQL's precision. A `Date` can't represent every microsecond of distant years.
public struct ExactTime: PostgresEncodable, PostgresDecodable, Hashable {
    public static var postgresType: PostgresType { .timestamptz }

    /// The microseconds since 2000-01-01T00:00:00Z.
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: microseconds) }

    public static func decode(_ cell: Cell) throws(PostgresError) -> ExactTime {
        guard cell.type == .timestamptz, let value = try cell.integer(Int64.self) else {
            throw cell.mismatch(ExactTime.self)
        }
        return ExactTime(microseconds: value)
    }
}
