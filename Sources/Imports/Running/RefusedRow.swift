/// A row that was not imported, and why.
public struct RefusedRow: Sendable, Equatable, Error {
    /// The physical line on which the row begins, from 1.
    public var line: Int
    /// The column's heading; empty when the whole row is meant.
    public var column: String
    /// A stable kebab-case word.
    public var code: String
    /// One plain sentence.
    public var reason: String

    public init(line: Int, column: String, code: String, reason: String) {
        self.line = line
        self.column = column
        self.code = code
        self.reason = reason
    }
}
