import Testing

@testable import Imports

@Suite struct ReportWriting {
    @Test func refusedRowsAreWrittenInFileOrder() {
        var report = ImportReport(refused: [
            RefusedRow(line: 9, column: "=x", code: "out-of-range", reason: "Too \"large\"."),
            RefusedRow(line: 2, column: "", code: "ragged-row", reason: "Short."),
        ])
        report.created = 3
        report.alreadyThere = 4
        #expect(report.rows == 9)
        #expect(
            String(decoding: report.csv(), as: UTF8.self) == """
                "line","column","code","reason"\r
                2,"","ragged-row","Short."\r
                9,"'=x","out-of-range","Too ""large""."\r

                """)
    }

    @Test func longReportEndsWithTheNumberOfEntriesLeftOut() {
        let rows = (2...101).map { RefusedRow(line: $0, column: "A", code: "required", reason: "Missing.") }
        let text = String(decoding: ImportReport(refused: rows).csv(limit: 100), as: UTF8.self)
        let lines = text.split(separator: "\r\n")
        #expect(lines.count < 10 && text.utf8.count < 250)
        #expect(lines.last == "\(lines.count),\"\",\"left-out\",\"\(102 - lines.count) further entries are left out.\"")
    }

    @Test func reportWithoutRefusalsHasOnlyAHeader() {
        #expect(String(decoding: ImportReport().csv(), as: UTF8.self) == "\"line\",\"column\",\"code\",\"reason\"\r\n")
    }
}
