/// The rows of a result. They stay in libpq's memory and are decoded on access.
public struct Rows: RandomAccessCollection, Sendable {
    let result: ResultHandle

    public var startIndex: Int { 0 }
    public var endIndex: Int { result.rowCount }
    public subscript(position: Int) -> Row {
        precondition(position >= 0 && position < endIndex, "no such row")
        return Row(result: result, index: position)
    }

    /// The number of rows that the statement changed or, for a query, returned.
    public var affected: Int { result.affected }
}

/// One row. It retains the result that it belongs to.
public struct Row: Sendable {
    let result: ResultHandle
    let index: Int

    public var count: Int { result.columnCount }

    /// The bytes of a column in binary format. Nil for NULL and for an invalid index.
    public subscript(column: Int) -> [UInt8]? {
        guard column >= 0, column < count else { return nil }
        return result.bytes(row: index, column: column).map(Array.init)
    }

    /// Decodes all columns in order: `let (id, title) = try row.decode(UUID.self, String.self)`.
    public func decode<each C: PostgresDecodable>(_ types: repeat (each C).Type) throws(PostgresError) -> (
        repeat each C
    ) {
        var wanted = 0
        for _ in repeat each types { wanted += 1 }
        guard wanted == count else {
            throw PostgresError(.decoding, "\(wanted) columns were requested, the row has \(count)")
        }
        var column = 0
        return (repeat try next(&column, as: (each C).self))
    }

    /// Decodes one column.
    public func decode<C: PostgresDecodable>(_ type: C.Type, at column: Int) throws(PostgresError) -> C {
        guard (0..<count).contains(column) else {
            throw PostgresError(.decoding, "column \(column) was requested, the row has \(count) columns")
        }
        return try C.decode(result.cell(row: index, column: column))
    }

    /// Decodes the only column.
    public func decode<C: PostgresDecodable>(_ type: C.Type) throws(PostgresError) -> C {
        guard count == 1 else {
            throw PostgresError(.decoding, "one column was requested, the row has \(count)")
        }
        return try C.decode(result.cell(row: index, column: 0))
    }

    private func next<C: PostgresDecodable>(_ column: inout Int, as type: C.Type) throws(PostgresError) -> C {
        defer { column += 1 }
        return try C.decode(result.cell(row: index, column: column))
    }
}
