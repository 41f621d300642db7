/// The names of the statements that are prepared on the server.
///
/// Their number is limited. When the limit is reached, the connection runs `DEALLOCATE ALL` before its next statement.
struct PreparedStatements {
    static let limit = 256

    /// Identifies a statement by its SQL and the types of its parameters, because the server prepares it for these
    /// types.
    private struct Key: Hashable {
        var sql: String
        var types: [UInt32]

        init(_ statement: Statement) {
            sql = statement.sql
            types = statement.parameters.types
        }
    }

    private var names: [Key: String] = [:]
    private var lastNumber = 0

    var isFull: Bool { names.count >= PreparedStatements.limit }

    func name(of statement: Statement) -> String? { names[Key(statement)] }

    /// Registers a statement and returns its new name. A pipeline uses the name before the statement is known to be
    /// prepared.
    mutating func register(_ statement: Statement) -> String {
        lastNumber += 1
        let name = "s\(lastNumber)"
        names[Key(statement)] = name
        return name
    }

    mutating func forget(_ statement: Statement) { names[Key(statement)] = nil }
    mutating func forgetAll() { names.removeAll(keepingCapacity: true) }
}
