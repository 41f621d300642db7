import Domain
import Postgres

/// A cursor over a row's columns from left to right, for rows too wide for one `decode`.
struct Columns {
    private let row: Row
    private var index = 0

    init(_ row: Row) {
        self.row = row
    }

    mutating func next<Value: PostgresDecodable>(_ type: Value.Type = Value.self) throws(PostgresError) -> Value {
        defer { index += 1 }
        return try row.decode(type, at: index)
    }
}

extension Rows {
    /// Returns the only row of a statement that must return one.
    public func single() throws -> Row {
        guard let row = first else { throw Problem(.internalError, "A required row is missing.") }
        return row
    }

    /// Returns the only row; throws 404 when there is none.
    func requireFirst() throws -> Row {
        guard let row = first else { throw Problem(.notFound) }
        return row
    }
}
