import StrictJSON

@testable import CSV

extension FuzzTarget {
    /// CSV files: the division of a file into chunks does not matter, each row has as many fields as the header, and
    /// rows are unchanged after they are written and read again.
    static let csv: Run = { input in
        guard let (selector, rest) = input.choice else { return }
        let delimiter = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")][selector % 3]
        let file = rest.array
        let whole = Table(file, delimiter: delimiter)
        law(Table(file, delimiter: delimiter, chunk: 1 + selector / 3) == whole, "Chunks may end anywhere.")
        guard let header = whole.records.first else { return law(whole.error != nil, "A file has a header.") }
        law(whole.records.allSatisfy { $0.count == header.count }, "A row has as many fields as the header.")
        law(whole.lines == whole.lines.sorted(), "Rows are in order.")
        law(whole.faults.allSatisfy { $0.line > 0 && $0.column >= 0 && !$0.reason.isEmpty }, "A fault has a place.")
        let written = Table(Table.write(whole.records, delimiter), delimiter: delimiter)
        law(written.error == nil && written.faults.isEmpty, "A written file has no faults.")
        law(Table.isSameText(written.records, whole.records), "A written file is read as the same.")
        checkRoundTrip(file, columns: 1 + selector / 3 % 4, delimiter)
    }

    /// Writes the parts between vertical bars as fields, and reads them again. Any text without long runs of marks can
    /// be a field.
    private static func checkRoundTrip(_ bytes: [UInt8], columns: Int, _ delimiter: UInt8) {
        let parts = bytes.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
        let fields = parts.compactMap { String(validating: $0, as: UTF8.self) }
        guard fields.count == parts.count, fields.allSatisfy(StreamSafeText.isSafe) else { return }
        var records = [(0..<columns).map { "column \($0)" }]
        for start in stride(from: 0, through: fields.count - columns, by: columns) {
            records.append(Array(fields[start..<start + columns]))
        }
        let read = Table(Table.write(records, delimiter), delimiter: delimiter)
        law(read.error == nil && read.faults.isEmpty, "Fields in quotes have no faults.")
        law(Table.isSameText(read.records, records), "Fields in quotes are read as they were written.")
    }
}

private struct Table: Equatable {
    var records: [[String]] = []
    var lines: [Int] = []
    var faults: [CSVFault] = []
    var error: CSVFault?

    init(_ file: [UInt8], delimiter: UInt8, chunk: Int = .max) {
        var reader = CSVReader(delimiter: delimiter)
        do throws(CSVFault) {
            var rest = file[...]
            while !rest.isEmpty {
                try reader.read(rest.prefix(chunk)) { take($0) }
                rest = rest.dropFirst(chunk)
            }
            try reader.finish { take($0) }
        } catch {
            self.error = error
        }
    }

    private mutating func take(_ event: CSVReader.Event) {
        switch event {
        case .header(let names): records.append(names)
        case .row(let row):
            records.append(row.fields)
            lines.append(row.line)
        case .fault(let fault): faults.append(fault)
        }
    }

    /// Returns a file with these records, with all fields in quotes.
    static func write(_ records: [[String]], _ delimiter: UInt8) -> [UInt8] {
        var file: [UInt8] = []
        for record in records {
            for (index, field) in record.enumerated() {
                if index > 0 { file.append(delimiter) }
                file.append(UInt8(ascii: "\""))
                for byte in field.utf8 {
                    if byte == UInt8(ascii: "\"") { file.append(byte) }
                    file.append(byte)
                }
                file.append(UInt8(ascii: "\""))
            }
            file += [0x0D, 0x0A]
        }
        return file
    }

    static func isSameText(_ left: [[String]], _ right: [[String]]) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { $0.count == $1.count && zip($0, $1).allSatisfy(isSame) }
    }
}
