import CLibPQ

/// A `PGresult`, freed with its last reference.
///
/// Unchecked because libpq's results do not change once made and may be read from any thread.
final class ResultHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { PQclear(pointer) }

    var status: ExecStatusType { PQresultStatus(pointer) }
    var rowCount: Int { Int(PQntuples(pointer)) }
    var columnCount: Int { Int(PQnfields(pointer)) }
    var commandTag: String { String(cString: PQcmdStatus(pointer)) }
    /// The rows the command changed or returned, as its tag says.
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

    /// Bytes that it holds in memory, those set apart beyond its rows with them.
    var size: Int { Int(PQresultMemorySize(pointer)) }

    /// What the server said, if this is a refusal.
    var error: PostgresError? {
        guard status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE else { return nil }
        var error = PostgresError(.server, field("M") ?? "the server refused without a reason", sqlState: field("C"))
        error.constraint = field("n")
        error.table = field("t")
        error.column = field("c")
        error.detail = field("D")
        error.hint = field("H")
        return error
    }

    /// The session ends with this error.
    var isFatal: Bool { ["FATAL", "PANIC"].contains(field("V")) }

    /// A field of an error by its letter in the protocol.
    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(pointer, Int32(code.value)).map { String(cString: $0) }
    }
}
