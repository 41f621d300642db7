import CSV
import StrictJSON

/// Collects the events of a file: the cells of the mapped columns, and the rows that could not be read.
struct MappedRows: Sendable {
    private let map: ImportMap
    private(set) var columns: MappedColumns
    private(set) var lines: [Int] = []
    private(set) var refused: [RefusedRow] = []
    /// The number of refused rows with invalid bytes.
    private(set) var undecodable = 0
    private(set) var bindingFaults: [Fault] = []
    private var header: [String] = []

    init(_ map: ImportMap) {
        self.map = map
        columns = MappedColumns(map)
    }

    mutating func take(_ event: CSVReader.Event) {
        switch event {
        case .header(let names):
            header = names
            bindingFaults = columns.bind(to: names)
        case .row(let row) where bindingFaults.isEmpty:
            lines.append(row.line)
            columns.append(row, missing: map.missing)
        case .row: break
        case .fault(let fault):
            let name =
                switch fault.column {
                case 0: ""
                case 1...header.count: header[fault.column - 1]
                default: "#\(fault.column)"
                }
            if fault.code == .invalidUTF8 { undecodable += 1 }
            refused.append(
                RefusedRow(line: fault.line, column: name, code: fault.code.rawValue, reason: fault.reason))
        }
    }

    mutating func close() {
        columns.close()
    }

    /// The ordinal of each row among rows with the same mapped values, from 1.
    func ordinals() -> [UInt32] {
        var counts: [[UInt32]: UInt32] = [:]
        counts.reserveCapacity(lines.count)
        return lines.indices.map { row in
            let values = columns.columns.map { $0.codes[row] }
            let ordinal = counts[values, default: 0] + 1
            counts[values] = ordinal
            return ordinal
        }
    }
}
