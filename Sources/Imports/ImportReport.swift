import Exports

/// What an import did, counted, with every refused row.
public struct ImportReport: Sendable, Equatable {
    public var series = 0
    public var meetings = 0
    /// Submissions that this run added.
    public var created = 0
    /// Rows whose submissions an earlier run had added.
    public var alreadyThere = 0
    public var refused: [RefusedRow]

    public init(refused: [RefusedRow] = []) {
        self.refused = refused
    }

    public var rows: Int { created + alreadyThere + refused.count }

    /// The refused rows as CSV in the order of the file.
    public func csv() -> [UInt8] {
        let columns = [
            Column("line", "Line", .integer), Column("column", "Column", .text), Column("code", "Code", .text),
            Column("reason", "Reason", .text),
        ]
        var writer = TableWriter(columns: columns, options: ExportOptions(format: .csv))
        var bytes: [UInt8] = []
        writer.header(into: &bytes)
        let ordered = refused.enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
        for (_, row) in ordered {
            writer.row([.integer(row.line), .text(row.column), .text(row.code), .text(row.reason)], into: &bytes)
        }
        return bytes
    }
}
