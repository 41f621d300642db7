/// A column of a row, or an element of an array, in binary format. Valid only during decoding.
public struct Cell {
    public let type: PostgresType
    /// Nil for NULL.
    public let bytes: UnsafeRawBufferPointer?
    /// The column's index in its row, for errors.
    let column: Int

    func required() throws(PostgresError) -> UnsafeRawBufferPointer {
        guard let bytes else { throw PostgresError(.decoding, "column \(column) is NULL") }
        return bytes
    }

    /// Decodes a big-endian integer. Returns nil if its size differs from the cell's.
    func integer<T: FixedWidthInteger>(_: T.Type) throws(PostgresError) -> T? {
        let bytes = try required()
        guard bytes.count == MemoryLayout<T>.size else { return nil }
        return T(bigEndian: bytes.loadUnaligned(as: T.self))
    }

    /// Returns an error that names the column and the types, but never contains the value.
    func mismatch(_ requestedType: (some Any).Type) -> PostgresError {
        PostgresError(.decoding, "column \(column) of type \(type.oid) cannot be read as \(requestedType)")
    }
}

/// Reads the binary format of a one-dimensional array. Checks all counts and lengths before it uses them.
///
/// All numbers are big-endian 32-bit integers:
///
///     dimensions    0 for an empty array, or 1
///     hasNull       1 if an element is NULL, otherwise 0
///     elementType   the OID of the elements' type
///     count         the number of elements (only if there is a dimension)
///     lowerBound    the index of the first element, usually 1 (only if there is a dimension)
///
/// Then come the elements, each as its length in bytes followed by its bytes. The length of a NULL element is -1.
struct ArrayReader {
    private var unreadBytes: Slice<UnsafeRawBufferPointer>

    struct Header {
        var type: PostgresType
        var count: Int
    }

    /// An element, whose bytes are nil for NULL. The struct distinguishes NULL from the end of the bytes.
    struct Element {
        var bytes: UnsafeRawBufferPointer?
    }

    init(_ bytes: UnsafeRawBufferPointer) { unreadBytes = bytes[...] }

    mutating func readHeader() -> Header? {
        guard let dimensions = readInt32(), readInt32() != nil, let type = readInt32() else { return nil }
        let element = PostgresType(oid: UInt32(bitPattern: type))
        if dimensions == 0 { return Header(type: element, count: 0) }
        // Every element has a length field of four bytes, so a larger count is invalid.
        guard dimensions == 1, let count = readInt32(), readInt32() != nil, count >= 0,
            Int(count) <= unreadBytes.count / 4
        else { return nil }
        return Header(type: element, count: Int(count))
    }

    mutating func readElement() -> Element? {
        guard let length = readInt32() else { return nil }
        if length < 0 { return Element(bytes: nil) }
        guard unreadBytes.count >= Int(length) else { return nil }
        defer { unreadBytes = unreadBytes.dropFirst(Int(length)) }
        return Element(bytes: UnsafeRawBufferPointer(rebasing: unreadBytes.prefix(Int(length))))
    }

    private mutating func readInt32() -> Int32? {
        guard unreadBytes.count >= 4 else { return nil }
        defer { unreadBytes = unreadBytes.dropFirst(4) }
        return Int32(bigEndian: UnsafeRawBufferPointer(rebasing: unreadBytes).loadUnaligned(as: Int32.self))
    }
}
