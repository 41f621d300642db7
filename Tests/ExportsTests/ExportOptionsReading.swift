import Domain
import Exports
import StrictJSON
import Testing

@Suite struct ExportOptionsReading {
    private func options(
        bom: String? = nil, delimiter: String? = nil, titles: String? = nil, raw: String? = nil
    ) throws(Problem) -> ExportOptions {
        try ExportOptions(format: .csv, bom: bom, delimiter: delimiter, titles: titles, raw: raw, room: nil)
    }

    @Test func omittedOptionsHaveTheirDefaults() throws {
        #expect(try options() == ExportOptions())
    }

    @Test func nameWithoutAValueSetsAFlag() throws {
        let read = try options(bom: "", titles: "true", raw: "1")
        #expect(read == ExportOptions(bom: true, titles: true, raw: true))
        #expect(try options(bom: "false", titles: "0") == ExportOptions())
    }

    @Test(arguments: [";", "\t", "|", "'", " "])
    func delimiterIsOneASCIICharacter(_ text: String) throws {
        #expect(try options(delimiter: text).delimiter == text.utf8.first)
    }

    @Test(arguments: [
        "", ";;", "\"", "\r", "\n", "\r\n", "a", "Z", "5", "é", "→", "-", ".", ":", "+", "\u{0}", "\u{7F}",
    ])
    func delimitersThatWouldSplitCellsAreRefused(_ text: String) {
        let problem = #expect(throws: Problem.self) { try options(delimiter: text) }
        #expect(problem?.faults.map(\.pointer) == ["?delimiter"])
    }

    @Test func allFaultsAreReportedTogether() {
        let problem = #expect(throws: Problem.self) {
            try options(bom: "ja", delimiter: "xx", titles: "2", raw: "TRUE")
        }
        #expect(problem?.faults.map(\.pointer) == ["?bom", "?titles", "?raw", "?delimiter"])
        #expect(problem?.code == .validationFailed)
    }
}
