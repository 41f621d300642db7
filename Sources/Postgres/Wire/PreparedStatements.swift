/// The names of the statements that are prepared on the server.
///
/// The number is limited. When it is reached, the connection runs `DEALLOCATE ALL` before its next statement.
struct PreparedStatements {
    static let limit = 256

    /// The same SQL with parameters of other types is another statement.
    private struct Key: Hashable {
        var sql: String
        var types: [UInt32]

        init(_ statement: Statement) {
            sql = statement.sql
            types = statement.parameters.types
        }
    }

    private var names: [Key: String] = [:]
    private var made = 0

    var isFull: Bool { names.count >= PreparedStatements.limit }

    func name(of statement: Statement) -> String? { names[Key(statement)] }

    /// A new name, registered immediately, because a pipeline uses it before the result of the prepare is known.
    mutating func enter(_ statement: Statement) -> String {
        made += 1
        let name = "s\(made)"
        names[Key(statement)] = name
        return name
    }

    mutating func forget(_ statement: Statement) { names[Key(statement)] = nil }
    mutating func forgetAll() { names.removeAll(keepingCapacity: true) }
}
