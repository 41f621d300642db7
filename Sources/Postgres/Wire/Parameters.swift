import CLibPQ

/// The parameter values of a statement in binary format, in one buffer.
struct Parameters: Sendable {
    private var bytes: [UInt8] = []
    /// The length of each value in bytes. Negative for NULL.
    private var lengths: [Int32] = []
    private(set) var types: [Oid] = []

    var count: Int { types.count }

    mutating func append<T: PostgresEncodable>(_ value: T) throws(PostgresError) {
        var length: Int32 = -1
        if !value.isPostgresNull {
            let start = bytes.count
            try value.encode(into: &bytes)
            guard let encoded = Int32(exactly: bytes.count - start) else {
                bytes.removeSubrange(start...)
                throw PostgresError(.encoding, "a parameter is larger than PostgreSQL supports")
            }
            length = encoded
        }
        lengths.append(length)
        types.append(T.postgresType.oid)
    }

    mutating func append(_ other: Parameters) {
        bytes += other.bytes
        lengths += other.lengths
        types += other.types
    }

    /// Calls `body` with the arguments that libpq expects: count, types, values, lengths and formats.
    func withPointers<R>(
        _ body: (
            Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> R
    ) -> R {
        if types.isEmpty { return body(0, nil, nil, nil, nil) }
        let formats = [Int32](repeating: 1, count: count)
        return bytes.withUnsafeBytes { buffer in
            lengths.withUnsafeBufferPointer { lengths in
                // libpq requires a non-null pointer for an empty value. What it points to does not matter.
                let empty = UnsafeRawPointer(lengths.baseAddress)
                var next = buffer.baseAddress ?? empty
                let values = lengths.map { length -> UnsafePointer<CChar>? in
                    guard length >= 0 else { return nil }
                    defer { next = next?.advanced(by: Int(length)) }
                    return next?.assumingMemoryBound(to: CChar.self)
                }
                return types.withUnsafeBufferPointer { types in
                    body(Int32(types.count), types.baseAddress, values, lengths.baseAddress, formats)
                }
            }
        }
    }

    /// Calls `body` with the count and the types, as needed to prepare a statement.
    func withTypes<R>(_ body: (Int32, UnsafePointer<Oid>?) -> R) -> R {
        types.withUnsafeBufferPointer { body(Int32($0.count), $0.baseAddress) }
    }
}
