import Foundation

extension UUID: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .uuid }

    public func encode(into bytes: inout [UInt8]) {
        withUnsafeBytes(of: uuid) { bytes.append(contentsOf: $0) }
    }

    public static func decode(_ cell: Cell) throws(PostgresError) -> UUID {
        let bytes = try cell.required()
        guard cell.type == .uuid, bytes.count == 16 else { throw cell.mismatch(UUID.self) }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension Date: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .timestamptz }

    /// The seconds from 1970-01-01 to PostgreSQL's epoch, 2000-01-01.
    private static let epoch: Double = 946_684_800
    /// The range of `timestamptz`, from 4713 BC to AD 294276, in microseconds since 2000. The server interprets values
    /// outside it as `infinity` or rejects them.
    private static let validMicroseconds = -211_813_488_000_000_000..<9_223_371_331_200_000_000

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        let rounded = ((timeIntervalSince1970 - Date.epoch) * 1_000_000).rounded()
        guard let value = Int(exactly: rounded), Date.validMicroseconds.contains(value) else {
            throw PostgresError(.encoding, "an instant is outside the range of timestamptz")
        }
        bytes.append(bigEndian: Int64(value))
    }

    /// Decodes `timestamptz`, or `date` as midnight in UTC. Throws for `infinity`, which is not an instant.
    public static func decode(_ cell: Cell) throws(PostgresError) -> Date {
        switch cell.type {
        case .timestamptz:
            guard let value = try cell.integer(Int64.self), value != .max, value != .min else { break }
            let (seconds, fraction) = value.quotientAndRemainder(dividingBy: 1_000_000)
            return Date(timeIntervalSince1970: epoch + Double(seconds) + Double(fraction) / 1_000_000)
        case .date:
            guard let value = try cell.integer(Int32.self), value != .max, value != .min else { break }
            return Date(timeIntervalSince1970: epoch + Double(value) * 86_400)
        default: break
        }
        _ = try cell.required()
        throw cell.mismatch(Date.self)
    }
}
