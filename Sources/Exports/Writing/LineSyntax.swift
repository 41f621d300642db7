import Domain
import Foundation
import StrictJSON

/// The notation of values in a line of CSV or NDJSON, and the bytes between them.
struct LineSyntax: Sendable {
    let start: [UInt8]
    let end: [UInt8]
    /// Before the value of each column: a delimiter, or the column's name in JSON.
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

    func appendEmpty(to bytes: inout [UInt8]) {
        if !isCSV { bytes.append(contentsOf: "null".utf8) }
    }

    func append(_ cell: Cell, to bytes: inout [UInt8]) {
        switch cell {
        case .text(let text): append(text, to: &bytes)
        case .integer(let value): bytes.appendDecimal(value)
        case .real(let value) where value.isFinite: bytes.appendReal(value)
        case .instant(let date): appendPlain(RFC3339.format(date), to: &bytes)
        case .day(let day): appendPlain(day, to: &bytes)
        case .flag(let value): bytes.append(value ? 0x31 : 0x30)
        case .empty, .real: appendEmpty(to: &bytes)
        }
    }

    func append(_ text: String, to bytes: inout [UInt8]) {
        if isCSV { bytes.appendCSV(text, guarded: isGuarded) } else { JSONValue.write(text, into: &bytes) }
    }

    /// Appends a text that needs no quotes in CSV.
    func appendPlain(_ text: String, to bytes: inout [UInt8]) {
        if isCSV { bytes.append(contentsOf: text.utf8) } else { JSONValue.write(text, into: &bytes) }
    }

    /// Appends the contents of a JSON string. Returns false if it has an escape that PostgreSQL doesn't write.
    ///
    /// PostgreSQL escapes the same characters in the same notation as `JSONValue.write`.
    func append(escaped text: UnsafeBufferPointer<UInt8>, isEscaped: Bool, to bytes: inout [UInt8]) -> Bool {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        guard isCSV, isEscaped || isGuarded else {
            bytes.append(contentsOf: text)
            return true
        }
        guard isEscaped else {
            if FormulaGuard.guards(text) { bytes.append(UInt8(ascii: "'")) }
            bytes.append(contentsOf: text)
            return true
        }
        let first = bytes.endIndex
        guard bytes.appendCSV(unescaping: text) else { return false }
        if isGuarded, FormulaGuard.guards(bytes[first...]) { bytes.insert(UInt8(ascii: "'"), at: first) }
        return true
    }
}

extension [UInt8] {
    /// Appends the contents of a JSON string with doubled quotes, as in a CSV field. Returns false at an escape that
    /// PostgreSQL doesn't write.
    fileprivate mutating func appendCSV(unescaping text: UnsafeBufferPointer<UInt8>) -> Bool {
        var rest = text[...]
        while let escape = rest.firstIndex(of: UInt8(ascii: "\\")) {
            append(contentsOf: rest[..<escape])
            guard escape + 1 < rest.endIndex else { return false }
            var length = 2
            switch rest[escape + 1] {
            case UInt8(ascii: "\""): append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: "\"")])
            case UInt8(ascii: "\\"): append(UInt8(ascii: "\\"))
            case UInt8(ascii: "b"): append(0x08)
            case UInt8(ascii: "f"): append(0x0C)
            case UInt8(ascii: "n"): append(0x0A)
            case UInt8(ascii: "r"): append(0x0D)
            case UInt8(ascii: "t"): append(0x09)
            case UInt8(ascii: "u"):
                // Only control characters are escaped by their number.
                length = 6
                let digits = String(decoding: rest[escape...].prefix(length).dropFirst(2), as: UTF8.self)
                guard digits.utf8.count == 4, let code = UInt8(digits, radix: 16), code < 0x20 else { return false }
                append(code)
            default: return false
            }
            rest = rest[(escape + length)...]
        }
        append(contentsOf: rest)
        return true
    }
}
