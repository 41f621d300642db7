import Foundation

extension UUID {
    /// The id as a number. Numbers have the same order as the ids in PostgreSQL.
    var number: UInt128 { UInt128(bigEndianBytes: bytes) }

    init(number: UInt128) {
        self = withUnsafeBytes(of: number.bigEndian) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension UInt128 {
    /// Reads the first sixteen bytes.
    init(bigEndianBytes bytes: [UInt8]) { self = bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) } }
}
