import CSV
import Testing

@Suite struct CSVReading {
    /// The records with the header first, the line of each row, and the faults.
    struct ReadResult: Equatable {
        var records: [[String]] = []
        var lines: [Int] = []
        var faults: [CSVFault] = []
    }

    private func read(
        _ bytes: [UInt8], chunkSize: Int = .max, delimiter: UInt8 = UInt8(ascii: ",")
    ) throws(CSVFault) -> ReadResult {
        var reader = CSVReader(delimiter: delimiter)
        var result = ReadResult()
        let collect = { (event: CSVReader.Event) in
            switch event {
            case .header(let names): result.records.append(names)
            case .row(let row):
                result.records.append(row.fields)
                result.lines.append(row.line)
            case .fault(let fault): result.faults.append(fault)
            }
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            try reader.read(rest.prefix(chunkSize), collect)
            rest = rest.dropFirst(chunkSize)
        }
        try reader.finish(collect)
        return result
    }

    private func read(_ text: String) throws(CSVFault) -> ReadResult {
        try read(Array(text.utf8))
    }

    @Test(arguments: [
        "a,b\n1,2\n", "a,b\r\n1,2\r\n", "a,b\n1,2", "\u{FEFF}a,b\r\n1,2", "\"a\",\"b\"\n\"1\",2\n\n", "\na,b\n\n1,2",
    ])
    func lineEndingsQuotesAndByteOrderMarksDoNotMatter(_ text: String) throws {
        let read = try read(text)
        #expect(read.records == [["a", "b"], ["1", "2"]])
        #expect(read.faults.isEmpty)
    }

    @Test func quotedFieldsMayContainAnything() throws {
        let read = try read("a,b\r\n\"x,\"\"y\"\"\r\n\nz\",\"\"\r\n3,\n")
        #expect(read.records.dropFirst() == [["x,\"y\"\r\n\nz", ""], ["3", ""]])
        #expect(read.lines == [2, 5])
    }

    @Test func chunksMayEndAnywhere() throws {
        let bytes = Array("\u{FEFF}a,b\r\n\"x\"\"é\r\n😀\",2\r\nq\"r,1\r\n5,6".utf8)
        let complete = try read(bytes)
        for size in 1..<bytes.count { #expect(try read(bytes, chunkSize: size) == complete) }
        #expect(complete.records.last == ["5", "6"])
    }

    @Test func delimiterCanBeChosen() throws {
        let read = try read(Array("a;b\n1,5;2\n".utf8), delimiter: UInt8(ascii: ";"))
        #expect(read.records == [["a", "b"], ["1,5", "2"]])
    }

    @Test(arguments: ["", "\u{FEFF}", "\n", "\r\n\r\n"]) func emptyFileIsRefused(_ text: String) {
        let fault = #expect(throws: CSVFault.self) { try read(text) }
        #expect(fault?.code == .emptyFile)
    }

    @Test func headerAloneIsATableWithoutRows() throws {
        #expect(try read("a,b") == ReadResult(records: [["a", "b"]]))
    }

    @Test func duplicateColumnNamesAreRefused() {
        let fault = #expect(throws: CSVFault.self) { try read("a,b,a\n1,2,3") }
        #expect(fault?.code == .duplicateColumn)
        #expect(fault?.column == 3)
    }

    @Test(arguments: [
        ("\"1\"x,2", CSVFault.Code.brokenQuote, 1), ("1,x\"2\"", .brokenQuote, 2), ("1", .raggedRow, 0),
        ("1,2,3", .raggedRow, 0), ("1,a\rb", .loneCarriageReturn, 2),
    ])
    func malformedRowIsReportedAndReadingContinues(_ row: String, _ code: CSVFault.Code, _ column: Int) throws {
        let read = try read("a,b\n\"\n\",0\n\(row)\n3,4\n")
        #expect(read.faults.map(\.code) == [code])
        #expect(read.faults.map(\.line) == [4])
        #expect(read.faults.map(\.column) == [column])
        #expect(read.records.last == ["3", "4"])
        #expect(read.records.count == 3)
    }

    @Test func unclosedQuoteIsReported() throws {
        let read = try read("a,b\n1,2\n3,\"4\n5,6\n")
        #expect(read.records.count == 2)
        #expect(read.faults.map(\.code) == [.brokenQuote])
        #expect(read.faults.first?.line == 3)
        #expect(read.faults.first?.reason.contains("line 3") == true)
    }

    @Test func malformedQuoteInTheHeaderIsAnError() {
        let fault = #expect(throws: CSVFault.self) { try read("a,\"b\nc\n") }
        #expect(fault?.code == .brokenQuote)
    }

    @Test(
        arguments: [[0x31, 0x2C, 0xFF], [0x31, 0x2C, 0xC3], [0xC3, 0x2C, 0xA9], [0x31, 0x2C, 0xED, 0xA0, 0x80]]
            as [[UInt8]])
    func invalidUTF8IsReportedAtItsField(_ row: [UInt8]) throws {
        let read = try read(Array("a,b\n".utf8) + row + Array("\n3,4\n".utf8))
        #expect(read.faults.map(\.code) == [.invalidUTF8])
        #expect(read.records.last == ["3", "4"])
        #expect(read.faults.first?.line == 2)
    }

    @Test func longRunOfMarksIsReportedAtItsField() throws {
        let (most, more) = (String(repeating: "\u{301}", count: 30), String(repeating: "\u{301}", count: 31))
        let read = try read("a,b\n\(most),\(most)\n1,\(more)\n3,4\n")
        #expect(read.records == [["a", "b"], [most, most], ["3", "4"]])
        #expect(read.faults.map(\.code) == [.tooManyMarks])
        #expect(read.faults.first?.line == 3 && read.faults.first?.column == 2)
        let fault = #expect(throws: CSVFault.self) { try self.read("a,e\(more)\n") }
        #expect(fault?.code == .tooManyMarks && fault?.line == 1 && fault?.column == 2)
    }

    @Test func marksOfHundredsOfKilobytesAreReportedQuickly() {
        let long = String(repeating: "\u{301}\u{316}", count: 50_000)
        let time = ContinuousClock().measure {
            #expect(throws: CSVFault.self) { try self.read("\(long),\(long)a\n") }
        }
        #expect(time < .seconds(5))
    }

    @Test func blankLineIsARowIfThereIsOneColumn() throws {
        #expect(try read("a\n1\n\n2\n").records == [["a"], ["1"], [""], ["2"]])
    }

    @Test func rowOverTheSizeLimitIsReportedAndReadingContinues() throws {
        var bytes = Array("a,b\n1,\"".utf8)
        bytes += [UInt8](repeating: 0x78, count: 9 << 20) + Array("\"\n3,4\n".utf8)
        let read = try read(bytes)
        #expect(read.faults.map(\.code) == [.rowTooLong])
        #expect(read.records.last == ["3", "4"])
    }
}
