import Domain
import Foundation
import StrictJSON

/// The notation of values in a line of CSV or NDJSON, and the bytes between them.
struct LineSyntax: RowSyntax, Sendable {
    let start: [UInt8]
    let end: [UInt8]
    /// The bytes before the value of each column: a delimiter, or the column's name in JSON.
    let leads: [[UInt8]]
    private let isCSV: Bool
    private let isGuarded: Bool

    init(columns: [Column], options: ExportOptions) {
        isCSV = options.format == .csv
        isGuarded = !options.raw
        start = isCSV ? [] : [UInt8(ascii: "{")]
        end = isCSV ? [0x0D, 0x0A] : [UInt8(ascii: "}"), 0x0A]
        leads = columns.enumerated().map { [isCSV] index, column in
            if isCSV { return index > 0 ? [options.delimiter] : [] }
            var lead = index > 0 ? [UInt8(ascii: ",")] : []
            JSONValue.write(column.name, into: &lead)
            return lead + [UInt8(ascii: ":")]
        }
    }

    func append(_ cell: Cell, to bytes: inout [UInt8]) {
        switch cell {
        case .text(let text): append(text, to: &bytes)
        case .integer(let value): bytes.appendDecimal(value)
        case .real(let value) where value.isFinite: bytes.appendReal(value)
        case .instant(let date): appendPlain(RFC3339.format(date), to: &bytes)
        case .day(let day): appendPlain(day, to: &bytes)
        case .flag(let value): bytes.append(value ? 0x31 : 0x30)
        case .empty, .real: if !isCSV { bytes.append(contentsOf: "null".utf8) }
        }
    }

    private func append(_ text: String, to bytes: inout [UInt8]) {
        if isCSV { bytes.appendCSV(text, guarded: isGuarded) } else { JSONValue.write(text, into: &bytes) }
    }

    /// Appends a text that needs no quotes in CSV.
    private func appendPlain(_ text: String, to bytes: inout [UInt8]) {
        if isCSV { bytes.append(contentsOf: text.utf8) } else { JSONValue.write(text, into: &bytes) }
    }

    func value(_ cell: Cell) -> [UInt8] {
        var bytes: [UInt8] = []
        append(cell, to: &bytes)
        return bytes
    }

    func append(value: [UInt8], column: Int, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: leads[column])
        bytes.append(contentsOf: value)
    }

    func append(digits: UnsafeBufferPointer<UInt8>, column: Int, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: leads[column])
        bytes.append(contentsOf: digits)
    }

    /// In NDJSON, nothing has to be decoded: PostgreSQL escapes the same characters in the same notation as
    /// `JSONValue.write`.
    func append(
        jsonContents text: UnsafeBufferPointer<UInt8>, hasEscapes: Bool, column: Int, to bytes: inout [UInt8]
    ) -> Bool {
        bytes.append(contentsOf: leads[column])
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        guard isCSV, hasEscapes || isGuarded else {
            bytes.append(contentsOf: text)
            return true
        }
        guard hasEscapes else {
            if FormulaGuard.guards(text) { bytes.append(UInt8(ascii: "'")) }
            bytes.append(contentsOf: text)
            return true
        }
        let first = bytes.endIndex
        guard bytes.append(unescaping: text, quote: "\"\"") else { return false }
        if isGuarded, FormulaGuard.guards(bytes[first...]) { bytes.insert(UInt8(ascii: "'"), at: first) }
        return true
    }
}
