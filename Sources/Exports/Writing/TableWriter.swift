import StrictJSON

/// Writes rows as CSV or NDJSON lines into the caller's buffer, so that memory does not grow with the table.
public struct TableWriter: Sendable {
    public let columns: [Column]
    public let options: ExportOptions
    /// The number of rows written, without the header.
    public private(set) var rows = 0
    /// `"name":` for each column, encoded once.
    private let keys: [[UInt8]]

    public init(columns: [Column], options: ExportOptions) {
        self.columns = columns
        self.options = options
        self.keys = columns.map { column in
            var key: [UInt8] = []
            JSONValue.string(column.name).write(into: &key)
            key.append(UInt8(ascii: ":"))
            return key
        }
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
        if options.format == .csv { csvRow(cells, into: &bytes) } else { ndjsonRow(cells, into: &bytes) }
    }

    private func csvRow(_ cells: [Cell], into bytes: inout [UInt8]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(options.delimiter) }
            switch cell {
            case .empty: break
            case .text(let text): bytes.appendCSV(text, guarded: !options.raw)
            case .integer(let value): bytes.appendDecimal(value)
            case .real(let value): bytes.appendReal(value)
            case .instant(let date): bytes.append(contentsOf: RFC3339.format(date).utf8)
            case .day(let day): bytes.append(contentsOf: day.utf8)
            case .flag(let value): bytes.append(value ? 0x31 : 0x30)
            }
        }
        bytes.append(contentsOf: [0x0D, 0x0A])
    }

    private func ndjsonRow(_ cells: [Cell], into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: keys[index])
            switch cell {
            case .text(let text): JSONValue.string(text).write(into: &bytes)
            case .integer(let value): bytes.appendDecimal(value)
            case .real(let value) where value.isFinite: bytes.appendReal(value)
            case .instant(let date): JSONValue.string(RFC3339.format(date)).write(into: &bytes)
            case .day(let day): JSONValue.string(day).write(into: &bytes)
            case .flag(let value): bytes.append(value ? 0x31 : 0x30)
            case .empty, .real: bytes.append(contentsOf: "null".utf8)
            }
        }
        bytes.append(contentsOf: [UInt8(ascii: "}"), 0x0A])
    }
}
