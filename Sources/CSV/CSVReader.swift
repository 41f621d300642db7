import StrictJSON

/// An incremental CSV parser (RFC 4180; single line feeds are accepted too).
///
/// The first record is the header. A malformed record becomes a `fault` event and parsing continues; a malformed header
/// throws.
public struct CSVReader: Sendable {
    public enum Event: Sendable {
        case header([String])
        /// A record with as many fields as the header.
        case row(CSVRow)
        case fault(CSVFault)
    }

    /// The largest size of a row in memory, in bytes. It limits the damage of a quote that is never closed.
    static let maximumRowSize = 8 << 20

    private enum State {
        case fieldStart
        case unquoted
        case quoted
        /// After a quote in a quoted field: the end of the field, or the first half of a doubled quote.
        case quoteInQuoted
        /// After a carriage return outside quotes.
        case carriageReturn
    }

    private let delimiter: UInt8
    private var state = State.fieldStart
    /// The first bytes of the file while they may begin a byte order mark. Nil afterwards.
    private var possibleMark: [UInt8]? = []
    private var header: [String]?
    private var line = 1
    private var rowLine = 1
    private var quoteLine = 1
    private var bytes: [UInt8] = []
    /// The end of each field in `bytes`.
    private var ends: [Int] = []
    private var rowIsBlank = true
    private var fault: CSVFault?
    private var endsLine = false

    public init(delimiter: UInt8 = UInt8(ascii: ",")) {
        self.delimiter = delimiter
    }

    public mutating func read(_ chunk: some Sequence<UInt8>, _ event: (Event) -> Void) throws(CSVFault) {
        for byte in chunk {
            guard possibleMark == nil else {
                try skipMark(byte, event)
                continue
            }
            try step(byte, event)
        }
    }

    /// Ends the file. The last record needs no line break.
    public mutating func finish(_ event: (Event) -> Void) throws(CSVFault) {
        if let held = possibleMark {
            possibleMark = nil
            for byte in held { try step(byte, event) }
        }
        if state == .quoted {
            fail(.brokenQuote, "The quote opened on line \(quoteLine) is never closed.")
        } else if state == .carriageReturn {
            fail(.loneCarriageReturn, "A carriage return without a line feed is outside quotes.")
        }
        if !rowIsBlank { try endRow(event) }
        guard header != nil else {
            throw CSVFault(line: 1, column: 0, code: .emptyFile, reason: "The file is empty; it needs a header.")
        }
    }

    /// Skips a byte order mark, which may be split across chunks.
    private mutating func skipMark(_ byte: UInt8, _ event: (Event) -> Void) throws(CSVFault) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var held = possibleMark ?? []
        held.append(byte)
        if held == mark {
            possibleMark = nil
        } else if mark.starts(with: held) {
            possibleMark = held
        } else {
            possibleMark = nil
            for byte in held { try step(byte, event) }
        }
    }

    private mutating func step(_ byte: UInt8, _ event: (Event) -> Void) throws(CSVFault) {
        endsLine = byte == 0x0A
        if endsLine { line += 1 }
        switch state {
        case .quoted:
            if byte == UInt8(ascii: "\"") { state = .quoteInQuoted } else { append(byte) }
            return
        case .quoteInQuoted where byte == UInt8(ascii: "\""):
            append(byte)
            state = .quoted
            return
        case .carriageReturn where byte != 0x0A:
            fail(.loneCarriageReturn, "A carriage return without a line feed is outside quotes.")
            state = .unquoted
        default: break
        }
        switch byte {
        case delimiter:
            rowIsBlank = false
            ends.append(bytes.count)
            state = .fieldStart
        case 0x0A: try endRow(event)
        case 0x0D: state = .carriageReturn
        case UInt8(ascii: "\"") where state == .fieldStart:
            rowIsBlank = false
            quoteLine = line
            state = .quoted
        case UInt8(ascii: "\""):
            fail(.brokenQuote, "A quote is inside a field that does not begin with one.")
        default:
            rowIsBlank = false
            if state == .quoteInQuoted { fail(.brokenQuote, "Text follows a closing quote.") }
            state = .unquoted
            append(byte)
        }
    }

    private mutating func append(_ byte: UInt8) {
        if bytes.count < Self.maximumRowSize {
            bytes.append(byte)
        } else {
            fail(.rowTooLong, "The row has over \(Self.maximumRowSize >> 20) MiB; a closing quote may be missing.")
        }
    }

    /// Only the first fault of a row is reported.
    private mutating func fail(_ code: CSVFault.Code, _ reason: String) {
        guard fault == nil else { return }
        fault = CSVFault(line: rowLine, column: ends.count + 1, code: code, reason: reason)
        rowIsBlank = false
    }

    private mutating func endRow(_ event: (Event) -> Void) throws(CSVFault) {
        defer {
            state = .fieldStart
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            rowIsBlank = true
            fault = nil
            rowLine = line
        }
        // A blank line is a record only if records have a single field.
        if rowIsBlank, header?.count != 1 { return }
        ends.append(bytes.count)
        checkUTF8()
        checkMarks()
        guard let header else {
            if let fault { throw fault }
            let names = CSVRow(line: rowLine, bytes: bytes, ends: ends).fields
            try checkNames(names)
            self.header = names
            return event(.header(names))
        }
        if fault == nil, ends.count != header.count {
            fault = CSVFault(
                line: rowLine, column: 0, code: .raggedRow,
                reason: "The row has \(ends.count) fields where the header has \(header.count).")
        }
        let lastLine = endsLine ? line - 1 : line
        if lastLine > rowLine, let reason = fault?.reason {
            fault?.reason = "\(reason.dropLast()) (lines \(rowLine) to \(lastLine))."
        }
        event(fault.map(Event.fault) ?? .row(CSVRow(line: rowLine, bytes: bytes, ends: ends)))
    }

    /// Fields are adjacent in `bytes`, so two invalid halves could form a valid character across a boundary. The
    /// boundaries are therefore checked too.
    private mutating func checkUTF8() {
        guard fault == nil else { return }
        if String(validating: bytes, as: UTF8.self) != nil {
            let split = ends.firstIndex { $0 < bytes.count && bytes[$0] & 0xC0 == 0x80 }
            guard let split else { return }
            return fault = invalidUTF8(column: split + 1)
        }
        var start = 0
        for (index, end) in ends.enumerated() {
            if String(validating: bytes[start..<end], as: UTF8.self) == nil {
                return fault = invalidUTF8(column: index + 1)
            }
            start = end
        }
    }

    /// Checks the combining marks before a name or value is compared. Marks in adjacent fields are counted separately.
    private mutating func checkMarks() {
        guard fault == nil, !StreamSafeText.isSafe(String(decoding: bytes, as: UTF8.self)) else { return }
        let row = CSVRow(line: rowLine, bytes: bytes, ends: ends)
        guard let index = (0..<row.count).first(where: { !StreamSafeText.isSafe(row[$0]) }) else { return }
        fault = CSVFault(
            line: rowLine, column: index + 1, code: .tooManyMarks,
            reason: "The field has more than \(StreamSafeText.longestRun) combining marks in a row.")
    }

    private func invalidUTF8(column: Int) -> CSVFault {
        CSVFault(line: rowLine, column: column, code: .invalidUTF8, reason: "The field is not UTF-8.")
    }

    private func checkNames(_ names: [String]) throws(CSVFault) {
        var seen: Set<String> = []
        for (index, name) in names.enumerated() where !seen.insert(name).inserted {
            throw CSVFault(
                line: rowLine, column: index + 1, code: .duplicateColumn,
                reason: "Two columns are named “\(name)”.", name: name)
        }
    }
}

/// One record of a CSV file as validated UTF-8. Fields become strings on access.
public struct CSVRow: Sendable {
    /// The physical line on which the row begins, from 1.
    public let line: Int
    private let bytes: [UInt8]
    /// The end of each field in `bytes`.
    private let ends: [Int]

    init(line: Int, bytes: [UInt8], ends: [Int]) {
        self.line = line
        self.bytes = bytes
        self.ends = ends
    }

    public var count: Int { ends.count }

    public subscript(index: Int) -> String {
        String(decoding: bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]], as: UTF8.self)
    }

    public var fields: [String] { (0..<count).map { self[$0] } }
}

/// A fault in a CSV file, with its position.
public struct CSVFault: Error, Sendable, Equatable {
    /// A stable code in kebab case.
    public enum Code: String, Sendable, CaseIterable {
        case brokenQuote = "broken-quote"
        case duplicateColumn = "duplicate-column"
        case emptyFile = "empty-file"
        case invalidUTF8 = "invalid-utf8"
        case loneCarriageReturn = "lone-carriage-return"
        case raggedRow = "ragged-row"
        case rowTooLong = "row-too-long"
        case tooManyMarks = "too-many-marks"
    }

    /// The physical line on which the row begins, from 1.
    public var line: Int
    /// The field, from 1. 0 if the fault concerns the whole row.
    public var column: Int
    public var code: Code
    /// One sentence.
    public var reason: String
    /// The heading that two columns have; empty for other faults.
    public var name = ""
}
