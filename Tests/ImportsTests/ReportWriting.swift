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

    @Test func reportWithoutRefusalsHasOnlyAHeader() {
        #expect(String(decoding: ImportReport().csv(), as: UTF8.self) == "\"line\",\"column\",\"code\",\"reason\"\r\n")
    }
}
