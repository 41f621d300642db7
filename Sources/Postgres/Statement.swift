import Foundation

/// SQL with bound parameters: `"SELECT title FROM form WHERE id = \(id)"` sends `… WHERE id = $1`.
///
/// Interpolated values never become part of the SQL. Only three interpolations change the SQL: `\(fragment: …)` inserts
/// another statement and renumbers its parameters, `\(identifier: …)` inserts a quoted identifier, and `\(literal: …)`
/// inserts a UUID.
public struct Statement: Sendable {
    public private(set) var sql: String
    /// The byte offset of each `$n` in `sql`.
    private(set) var marks: [Int] = []
    private(set) var parameters = Parameters()
    /// The error of the first parameter that can't be encoded. Thrown when the statement is run.
    private(set) var failure: PostgresError?

    /// Creates a statement from raw SQL, which is executed as it is.
    public init(unsafeSQL: String) { sql = unsafeSQL }

    public static func + (lhs: Statement, rhs: Statement) -> Statement {
        var sum = lhs
        sum.append(rhs)
        return sum
    }

    public static func += (lhs: inout Statement, rhs: Statement) { lhs.append(rhs) }

    mutating func append(sql text: String) { sql += text }

    mutating func append(parameter value: some PostgresEncodable) {
        guard failure == nil else { return }
        do throws(PostgresError) {
            try parameters.append(value)
        } catch {
            failure = error
            return
        }
        marks.append(sql.utf8.count)
        sql += "$\(parameters.count)"
    }

    private mutating func append(_ other: Statement) {
        failure = failure ?? other.failure
        let precedingCount = parameters.count
        if precedingCount == 0 || other.marks.isEmpty {
            let offset = sql.utf8.count
            marks += other.marks.map { $0 + offset }
            sql += other.sql
        } else {
            let texts = other.texts
            sql += texts[0]
            for (index, text) in texts.dropFirst().enumerated() {
                marks.append(sql.utf8.count)
                sql += "$\(precedingCount + index + 1)"
                sql += text
            }
        }
        parameters.append(other.parameters)
    }

    /// The parts of the SQL before, between and after the parameters.
    var texts: [Substring] {
        var texts: [Substring] = []
        var start = sql.startIndex
        for (index, mark) in marks.enumerated() {
            let end = sql.utf8.index(sql.startIndex, offsetBy: mark)
            texts.append(sql[start..<end])
            start = sql.utf8.index(end, offsetBy: 1 + String(index + 1).utf8.count)
        }
        texts.append(sql[start...])
        return texts
    }
}

extension Statement: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self.init(unsafeSQL: value) }
    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.statement }

    public struct StringInterpolation: StringInterpolationProtocol {
        var statement = Statement(unsafeSQL: "")

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { statement.append(sql: literal) }

        public mutating func appendInterpolation(_ value: some PostgresEncodable) {
            statement.append(parameter: value)
        }

        public mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) {
            statement.append(parameter: value)
        }

        public mutating func appendInterpolation(fragment: Statement) { statement += fragment }

        /// Appends a UUID as a literal, for statements that accept no parameters. A UUID needs no escaping.
        public mutating func appendInterpolation(literal: UUID) { statement.append(sql: "'\(literal.uuidString)'") }

        /// Appends the quoted name of a table, column or channel.
        public mutating func appendInterpolation(identifier: String) {
            statement.append(
                sql: "\""
                    + identifier.split(separator: "\"", omittingEmptySubsequences: false)
                    .joined(separator: "\"\"") + "\"")
        }
    }
}

/// Shows the SQL, never the value of a parameter.
extension Statement: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { sql }
    public var debugDescription: String { sql }
    public var customMirror: Mirror { Mirror(self, children: ["sql": sql]) }
}
