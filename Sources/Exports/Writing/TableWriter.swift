import Store

/// Writes rows as CSV or NDJSON lines into the caller's buffer, so that memory does not grow with the table.
public struct TableWriter: Sendable {
    public let columns: [Column]
    public let options: ExportOptions
    /// The number of rows written, without the header.
    public internal(set) var rows = 0
    let syntax: LineSyntax

    public init(columns: [Column], options: ExportOptions) {
        self.columns = columns
        self.options = options
        syntax = LineSyntax(columns: columns, options: options)
    }

    /// Writes the header line of a CSV file. NDJSON has none.
    public mutating func writeHeader(into bytes: inout [UInt8]) {
        guard options.format == .csv else { return }
        if options.bom { bytes.append(contentsOf: [0xEF, 0xBB, 0xBF]) }
        for (index, column) in columns.enumerated() {
            if index > 0 { bytes.append(options.delimiter) }
            bytes.appendCSV(options.titles ? column.title : column.name, guarded: !options.raw)
        }
        bytes.append(contentsOf: [0x0D, 0x0A])
    }

    /// Writes one row with a cell for each column.
    public mutating func writeRow(_ cells: [Cell], into bytes: inout [UInt8]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows += 1
        bytes.append(contentsOf: syntax.start)
        for (index, cell) in cells.enumerated() {
            bytes.append(contentsOf: syntax.leads[index])
            syntax.append(cell, to: &bytes)
        }
        bytes.append(contentsOf: syntax.end)
    }

    /// Writes a row for each record: encoded from its bytes if possible, otherwise as cells.
    mutating func write(
        _ records: SubmissionRecords, as encoder: inout SubmissionEncoder, into bytes: inout [UInt8],
        cells: (SubmissionRecord) throws -> [Cell]
    ) throws {
        try records.forEach { record in
            let start = bytes.count
            bytes.append(contentsOf: syntax.start)
            guard try encoder.append(record, in: syntax, to: &bytes) else {
                bytes.removeSubrange(start...)
                return writeRow(try cells(record), into: &bytes)
            }
            bytes.append(contentsOf: syntax.end)
            rows += 1
        }
    }
}
