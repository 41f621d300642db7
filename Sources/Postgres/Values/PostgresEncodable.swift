/// A value that can be a bound parameter, sent in PostgreSQL's binary form.
///
/// The type is always stated, so an enum or a `json` column wants its cast: `\(kind)::question_kind`.
public protocol PostgresEncodable: Sendable {
    static var postgresType: PostgresType { get }
    /// The type of an array of these values; nil if there is none.
    static var postgresArrayType: PostgresType? { get }
    var isPostgresNull: Bool { get }
    /// Appends the value's binary form; not called on a NULL.
    func encode(into bytes: inout [UInt8]) throws(PostgresError)
    /// Appends the binary form of an array of these values. A requirement so that each type gets its own fast loop,
    /// and so that bytes become `bytea` and not an array.
    static func encodeArray(_ values: [Self], into bytes: inout [UInt8]) throws(PostgresError)
}

extension PostgresEncodable {
    public static var postgresArrayType: PostgresType? { postgresType.array }
    public var isPostgresNull: Bool { false }

    public static func encodeArray(_ values: [Self], into bytes: inout [UInt8]) throws(PostgresError) {
        guard postgresArrayType != nil else {
            throw PostgresError(.encoding, "arrays have one dimension here")
        }
        guard let count = Int32(exactly: values.count) else {
            throw PostgresError(.encoding, "an array has more elements than PostgreSQL can take")
        }
        bytes.append(bigEndian: Int32(values.isEmpty ? 0 : 1))
        let nullFlag = bytes.count
        bytes.append(bigEndian: Int32(0))
        bytes.append(bigEndian: postgresType.oid)
        if values.isEmpty { return }
        bytes.append(bigEndian: count)
        bytes.append(bigEndian: Int32(1))
        for value in values {
            if value.isPostgresNull {
                bytes[nullFlag + 3] = 1
                bytes.append(bigEndian: Int32(-1))
            } else {
                let lengthAt = bytes.count
                bytes.append(bigEndian: Int32(0))
                try value.encode(into: &bytes)
                guard let length = Int32(exactly: bytes.count - lengthAt - 4) else {
                    throw PostgresError(.encoding, "a value is larger than PostgreSQL can take")
                }
                bytes.patch(bigEndian: length, at: lengthAt)
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
