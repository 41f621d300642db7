/// A value that can be sent as a bound parameter in PostgreSQL's binary format.
///
/// The type is always sent, so an enum or a `json` column needs a cast: `\(kind)::question_kind`.
public protocol PostgresEncodable: Sendable {
    static var postgresType: PostgresType { get }
    /// The type of an array of these values, if there is one.
    static var postgresArrayType: PostgresType? { get }
    var isPostgresNull: Bool { get }
    /// Appends the value in binary format. Not called for NULL.
    func encode(into bytes: inout [UInt8]) throws(PostgresError)
    /// Appends an array of these values in binary format, whose layout `ArrayReader` documents. This is a requirement
    /// of the protocol, so that each type has a specialized loop and `UInt8` can encode `bytea`.
    static func encodeArray(_ values: [Self], into bytes: inout [UInt8]) throws(PostgresError)
}

extension PostgresEncodable {
    public static var postgresArrayType: PostgresType? { postgresType.array }
    public var isPostgresNull: Bool { false }

    public static func encodeArray(_ values: [Self], into bytes: inout [UInt8]) throws(PostgresError) {
        guard postgresArrayType != nil else {
            throw PostgresError(.encoding, "only one-dimensional arrays are supported")
        }
        guard let count = Int32(exactly: values.count) else {
            throw PostgresError(.encoding, "an array has more elements than PostgreSQL supports")
        }
        bytes.append(bigEndian: Int32(values.isEmpty ? 0 : 1))
        let hasNullOffset = bytes.count
        bytes.append(bigEndian: Int32(0))
        bytes.append(bigEndian: postgresType.oid)
        if values.isEmpty { return }
        bytes.append(bigEndian: count)
        bytes.append(bigEndian: Int32(1))
        for value in values {
            if value.isPostgresNull {
                bytes[hasNullOffset + 3] = 1
                bytes.append(bigEndian: Int32(-1))
            } else {
                let lengthOffset = bytes.count
                bytes.append(bigEndian: Int32(0))
                try value.encode(into: &bytes)
                guard let length = Int32(exactly: bytes.count - lengthOffset - 4) else {
                    throw PostgresError(.encoding, "a value is larger than PostgreSQL supports")
                }
                bytes.patch(bigEndian: length, at: lengthOffset)
            }
        }
    }
}

extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
    public static var postgresType: PostgresType { RawValue.postgresType }
    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try rawValue.encode(into: &bytes) }
}

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    mutating func patch(bigEndian value: Int32, at index: Int) {
        let bits = UInt32(bitPattern: value)
        self[index] = UInt8(truncatingIfNeeded: bits >> 24)
        self[index + 1] = UInt8(truncatingIfNeeded: bits >> 16)
        self[index + 2] = UInt8(truncatingIfNeeded: bits >> 8)
        self[index + 3] = UInt8(truncatingIfNeeded: bits)
    }
}
