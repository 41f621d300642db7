/// A chunk of rows in the binary format of `COPY`.
///
/// All numbers are big-endian. The first chunk starts with a signature of 11 bytes, flags in four bytes, and an
/// extension preceded by its length in four bytes. A row is the number of its columns in two bytes and, for each
/// column, the length of its value in four bytes and the value in binary format. The length of NULL is -1. A column
/// count of -1 marks the end.
public struct CopiedRows: Sendable {
    private static let signature = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]

    private let bytes: [UInt8]
    /// The positions of all values, row by row; nil for NULL.
    private var values: [Range<Int>?] = []
    private var columnCount = 0

    init(_ bytes: [UInt8], isFirst: Bool) throws(PostgresError) {
        self.bytes = bytes
        guard read(isFirst: isFirst) else { throw PostgresError(.decoding, "the rows of COPY end within a row") }
    }

    /// The number of rows.
    public var count: Int { columnCount == 0 ? 0 : values.count / columnCount }

    /// Calls `body` with each row in order.
    ///
    /// - Parameter range: The indices of the rows; nil for all rows.
    public func forEach(in range: Range<Int>? = nil, _ body: (CopiedRow) throws -> Void) rethrows {
        let range = range ?? 0..<count
        // In a release build, slices of unsafe buffers do not check their bounds.
        precondition((0...count).contains(range.lowerBound) && range.upperBound <= count, "there are no such rows")
        try bytes.withUnsafeBytes { bytes in
            try values.withUnsafeBufferPointer { values in
                for row in range {
                    let start = row * columnCount
                    try body(CopiedRow(bytes: bytes, values: values[start..<start + columnCount]))
                }
            }
        }
    }

    /// Finds all values. Returns false if the bytes end within a row, or rows have different numbers of columns.
    private mutating func read(isFirst: Bool) -> Bool {
        bytes.withUnsafeBytes { [isFirst] bytes in
            var index = 0
            func readNumber<T: FixedWidthInteger>(_: T.Type) -> Int? {
                guard bytes.count - index >= MemoryLayout<T>.size else { return nil }
                defer { index += MemoryLayout<T>.size }
                return Int(T(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: T.self)))
            }
            if isFirst {
                guard bytes.starts(with: Self.signature) else { return false }
                index = Self.signature.count + 4
                guard let length = readNumber(UInt32.self), bytes.count - index >= length else { return false }
                index += length
            }
            while index < bytes.count {
                guard let columns = readNumber(Int16.self) else { return false }
                if columns < 0 { return index == bytes.count }
                if values.isEmpty { columnCount = columns }
                guard columns == columnCount else { return false }
                for _ in 0..<columns {
                    guard let length = readNumber(Int32.self), length <= bytes.count - index else { return false }
                    values.append(length < 0 ? nil : index..<index + length)
                    index += max(0, length)
                }
            }
            return true
        }
    }
}

/// A row of `COPY`. Valid only inside the closure of `CopiedRows.forEach`.
public struct CopiedRow {
    let bytes: UnsafeRawBufferPointer
    let values: Slice<UnsafeBufferPointer<Range<Int>?>>

    public var count: Int { values.count }

    /// The bytes of a column in binary format; nil for NULL.
    public subscript(column: Int) -> UnsafeRawBufferPointer? {
        // In a release build, slices of unsafe buffers do not check their bounds.
        precondition((0..<count).contains(column), "the row has no such column")
        return values[values.startIndex + column].map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
    }

    /// Decodes a column.
    ///
    /// - Parameter columnType: The column's type in the query, which `COPY` does not send.
    public func decode<C: PostgresDecodable>(
        _ type: C.Type, at column: Int, of columnType: PostgresType
    ) throws(PostgresError) -> C {
        guard (0..<count).contains(column) else {
            throw PostgresError(.decoding, "column \(column) was requested, the row has \(count) columns")
        }
        return try C.decode(Cell(type: columnType, bytes: self[column], column: column))
    }
}
