import Exports

/// The counts of an import, with every refused row.
public struct ImportReport: Sendable, Equatable {
    /// The numbers of series and meetings to which the file's rows belong.
    public var series = 0
    public var meetings = 0
    /// The numbers of series and meetings that this run created.
    public var newSeries = 0
    public var newMeetings = 0
    /// The number of submissions that this run created.
    public var created = 0
    /// The number of rows whose submissions an earlier run created.
    public var alreadyThere = 0
    /// The number of `alreadyThere` rows whose meeting was imported from another file, and never from this file in its
    /// current state.
    public var fromAnotherFile = 0
    /// A row with several faults has several entries.
    public var refused: [RefusedRow] = []

    public var refusedCount: Int { Set(refused.map(\.line)).count }
    public var rows: Int { created + alreadyThere + refusedCount }

    /// In the order of the file.
    public var refusedInOrder: [RefusedRow] {
        refused.enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map(\.element)
    }

    /// The refused rows as CSV in the order of the file.
    ///
    /// - Parameter limit: The size in bytes after which a last row says how many entries are left out.
    public func csv(limit: Int = .max) -> [UInt8] {
        let columns = [
            Column("line", "Line", .integer), Column("column", "Column", .text), Column("code", "Code", .text),
            Column("reason", "Reason", .text),
        ]
        var writer = TableWriter(columns: columns, options: ExportOptions(format: .csv))
        var bytes: [UInt8] = []
        writer.writeHeader(into: &bytes)
        let entries = refusedInOrder
        for (index, row) in entries.enumerated() {
            if bytes.count > limit {
                let reason = "\(entries.count - index) further entries are left out."
                writer.writeRow([.integer(row.line), .text(""), .text("left-out"), .text(reason)], into: &bytes)
                break
            }
            writer.writeRow([.integer(row.line), .text(row.column), .text(row.code), .text(row.reason)], into: &bytes)
        }
        return bytes
    }
}
