/// An instant as PostgreSQL keeps it: a `Date` cannot hold every microsecond of years far from now.
public struct ExactTime: PostgresEncodable, PostgresDecodable, Hashable {
    public static var postgresType: PostgresType { .timestamptz }

    /// Since the first moment of the year 2000 in UTC.
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
