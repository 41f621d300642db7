import Spreadsheets
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct Workbooks {
    private let fourColumns = Workbook.columns("a", "b", "c", "d")

    @Test func everyCellIsReadWithItsType() async throws {
        let bytes = await Workbook.bytes { book in
            book.begin("table", fourColumns)
            book.row([.text("-5"), .integer(-5), .real(0.1), .instant(1_795_253_400)])
            book.row([.text("5"), .empty, .real(-.infinity), .day(20_778)])
            book.row([.text(""), .integer(0), .real(1e-300), .instant(1)])
        }
        let result = try await PythonReader.read(
            bytes,
            as: """
                import openpyxl
                sheet = openpyxl.load_workbook(path)["table"]
                result = [[[type(c.value).__name__, c.value, c.number_format] for c in row] for row in sheet.iter_rows(2)]
                """)
        let general = "General"
        let expected: [[(String, JSONValue, String)]] = [
            [
                ("str", .string("-5"), general), ("int", .number("-5"), general), ("float", .number("0.1"), general),
                ("datetime", .string("2026-11-21 09:30:00"), #"yyyy\-mm\-dd\ hh:mm:ss"#),
            ],
            [
                ("str", .string("5"), general), ("NoneType", .null, general), ("NoneType", .null, general),
                ("datetime", .string("2026-11-21 00:00:00"), #"yyyy\-mm\-dd"#),
            ],
            [
                ("str", .string(""), general), ("int", .number("0"), general), ("float", .number("1e-300"), general),
                ("datetime", .string("1970-01-01 00:00:01"), #"yyyy\-mm\-dd\ hh:mm:ss"#),
            ],
        ]
        let expectedJSON = JSONValue.array(
            expected.map { .array($0.map { .array([.string($0.0), $0.1, .string($0.2)]) }) })
        #expect(result == expectedJSON)
    }

    @Test func headingIsFrozenAndHasAFilter() async throws {
        for rows in [0, 2] {
            let bytes = await Workbook.bytes { book in
                book.begin("table", [SheetColumn("a", width: 9), SheetColumn("=b", width: 40)])
                for row in 0..<rows { book.row([.integer(row), .empty]) }
            }
            let result = try await PythonReader.read(
                bytes,
                as: """
                    import openpyxl
                    sheet = openpyxl.load_workbook(path)["table"]
                    result = [sheet.freeze_panes, sheet.auto_filter.ref, sheet["A1"].font.b, sheet["A2"].font.b,
                              sheet.column_dimensions["B"].width, sheet["B1"].value, sheet["B1"].data_type]
                    """)
            #expect(result.text == #"["A2","A1:B\#(rows + 1)",true,false,40.0,"=b","s"]"#)
        }
    }

    @Test func rowsContinueOnTheNextSheet() async throws {
        var limits = SheetLimits()
        limits.rows = 4
        let counts = [0, 2, 3, 4, 6, 7]
        var books: [[UInt8]] = []
        for count in counts {
            books += [
                await Workbook.bytes(limits: limits) { book in
                    book.begin("answers", Workbook.columns("n"))
                    for row in 0..<count { book.row([.integer(row)]) }
                }
            ]
        }
        for (count, sheets) in zip(counts, try await Workbook.sheets(books)) {
            #expect(sheets.map(\.name) == Array(["answers", "answers 2", "answers 3"].prefix(max(1, (count + 2) / 3))))
            #expect(sheets.allSatisfy { $0.rows.first == [.string("n")] && $0.rows.count <= 4 })
            let numbers = sheets.flatMap { $0.rows.dropFirst().map { $0[0] } }
            #expect(numbers == (0..<count).map { .number(String($0)) })
        }
        let tables = try #require(try await Workbook.parts(books[3])["xl/workbook.xml"])
        #expect(tables.contains("'answers'!$A$1:$A$4<") && tables.contains("'answers 2'!$A$1:$A$2<"))
    }

    @Test func largeSheetContinuesOnTheNext() async throws {
        var limits = SheetLimits()
        limits.bytes = 100_000
        let text = String(repeating: "x", count: 30_000)
        let bytes = await Workbook.bytes(limits: limits) { book in
            book.begin("answers", Workbook.columns("n"))
            for _ in 0..<9 { book.row([.text(text)]) }
        }
        let sheets = try await Workbook.sheets(bytes)
        #expect(sheets.map(\.name) == ["answers", "answers 2", "answers 3"])
        #expect(sheets.flatMap { $0.rows.dropFirst() }.count == 9)
        for (name, part) in try await Workbook.parts(bytes) where name.hasPrefix("xl/worksheets") {
            #expect(part.utf8.count < 140_000)
        }
    }

    private struct BrokenRow: Error {}

    /// The first row that is begun on each sheet is discarded.
    @Test func discardedRowsLeaveNoCells() async throws {
        var limits = SheetLimits()
        limits.rows = 3
        let bytes = await Workbook.bytes(limits: limits) { book in
            book.begin("table", Workbook.columns("n"))
            for number in 0..<5 {
                let isWritten = book.row { row, xml in
                    row.append(value: RowXML.value(.integer(-1)), column: 0, to: &xml)
                    return false
                }
                #expect(!isWritten)
                #expect(throws: BrokenRow.self) {
                    try book.row { row, xml in
                        row.append(value: RowXML.value(.text("broken")), column: 0, to: &xml)
                        throw BrokenRow()
                    }
                }
                #expect(
                    book.row { row, xml in
                        row.append(value: RowXML.value(.integer(number)), column: 0, to: &xml)
                        return true
                    })
            }
        }
        let sheets = try await Workbook.sheets([bytes])[0]
        #expect(sheets.map(\.name) == ["table", "table 2", "table 3"])
        let numbers = sheets.map { $0.rows.dropFirst().map { $0[0] } }
        #expect(numbers == [[.number("0"), .number("1")], [.number("2"), .number("3")], [.number("4")]])
    }

    @Test func drainingRowByRowWritesTheSameBytes() async {
        let make = { (book: WorkbookWriter) in
            book.begin("table", fourColumns)
            for row in 0..<5_000 { book.row([.integer(row), .text("text \(row * 7919 % 1000)"), .empty, .real(0.5)]) }
        }
        let complete = await Workbook.bytes(make)
        let book = WorkbookWriter()
        let archive = WorkbookArchive()
        var pieces: [UInt8] = []
        book.begin("table", fourColumns)
        for row in 0..<5_000 {
            book.row([.integer(row), .text("text \(row * 7919 % 1000)"), .empty, .real(0.5)])
            pieces += await archive.write(book.drain())
        }
        let before = pieces.count
        book.finish()
        pieces += await archive.write(book.drain())
        #expect(pieces == complete)
        #expect(before > complete.count / 2, "most bytes are available before the end")
    }

    @Test func pandasReadsTheTable() async throws {
        let bytes = await Workbook.bytes { book in
            book.begin("table", fourColumns)
            for row in 0..<3 { book.row([.text("r\(row)"), .integer(row), .real(0.25), .instant(86_400 * row)]) }
        }
        let result = try await PythonReader.read(
            bytes,
            as: """
                import pandas
                frame = pandas.read_excel(path)
                result = [[str(t) for t in frame.dtypes], frame["b"].tolist(), [str(t) for t in frame["d"]]]
                """)
        #expect(
            result.text
                == #"[["str","int64","float64","datetime64[us]"],[0,1,2],["1970-01-01 00:00:00","#
                + #""1970-01-02 00:00:00","1970-01-03 00:00:00"]]"#)
    }
}
