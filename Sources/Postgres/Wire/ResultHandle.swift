import CLibPQ

/// A `PGresult`, which is freed with the last reference to this object.
///
/// The sendability is unchecked. libpq's results are immutable and may be read from any thread.
final class ResultHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { PQclear(pointer) }

    var status: ExecStatusType { PQresultStatus(pointer) }
    var rowCount: Int { Int(PQntuples(pointer)) }
    var columnCount: Int { Int(PQnfields(pointer)) }
    var commandTag: String { String(cString: PQcmdStatus(pointer)) }
    /// The number of rows that the command changed or returned, according to its command tag.
    var affected: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    func bytes(row: Int, column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(row), Int32(column))
        if PQgetisnull(pointer, row, column) == 1 { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, column), count: Int(PQgetlength(pointer, row, column)))
    }

    func cell(row: Int, column: Int) -> Cell {
        Cell(
            type: PostgresType(oid: PQftype(pointer, Int32(column))), bytes: bytes(row: row, column: column),
            column: column)
    }

    /// The number of bytes of memory that the result uses, including data other than rows.
    var size: Int { Int(PQresultMemorySize(pointer)) }

    /// The server's error, if the result represents one.
    var error: PostgresError? {
        guard status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE else { return nil }
        var error = PostgresError(.server, field("M") ?? "the server sent no error message", sqlState: field("C"))
        error.constraint = field("n")
        error.table = field("t")
        error.column = field("c")
        error.detail = field("D")
        if error.sqlState?.hasPrefix("23") == true, error.table == nil { error.readNamesInMessage() }
        return error
    }

    /// Whether the error terminates the session.
    var isFatal: Bool { ["FATAL", "PANIC"].contains(field("V")) }

    /// Returns a field of an error by its letter in the protocol.
    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(pointer, Int32(code.value)).map { String(cString: $0) }
    }
}
