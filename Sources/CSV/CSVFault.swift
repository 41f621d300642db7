/// What is wrong with a CSV file, and where.
public struct CSVFault: Error, Sendable, Equatable {
    /// A stable kebab-case word.
    public enum Code: String, Sendable {
        case brokenQuote = "broken-quote"
        case duplicateColumn = "duplicate-column"
        case emptyFile = "empty-file"
        case invalidUTF8 = "invalid-utf8"
        case loneCarriageReturn = "lone-carriage-return"
        case raggedRow = "ragged-row"
        case rowTooLong = "row-too-long"
    }

    /// The physical line on which the row begins, from 1.
    public var line: Int
    /// The field, from 1; 0 when the whole row is meant.
    public var column: Int
    public var code: Code
    /// One plain sentence.
    public var reason: String
}
