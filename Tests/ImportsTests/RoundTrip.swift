import CSV
import Exports
import Imports
import Testing

@Suite struct RoundTrip {
    private static let pieces = [
        "\"", "\"\"", ",", ";", "\t", "\r", "\n", "\r\n", "'", "=", "+", "-", "@", "a", "é", "e\u{301}", "😀",
        "\u{202E}",
        "\u{FEFF}", " ", "0", "\u{200B}", "\u{3000}", "＝", "＋", "－", "＠",
    ]

    private func text() -> String {
        (0..<Int.random(in: 0...6)).compactMap { _ in Self.pieces.randomElement() }.joined()
    }

    /// Raw texts are read as they were written, and guarded texts once the guard is removed.
    @Test(arguments: [true, false], [",", ";", "\t", "'"])
    func writtenFilesAreReadUnchanged(_ raw: Bool, _ delimiter: String) throws {
        let byte = try #require(delimiter.utf8.first)
        let rows = (0..<2000).map { _ in [text(), text(), text()] }
        var writer = TableWriter(
            columns: ["a", "=b", "c"].map { Column($0, $0, .text) },
            options: ExportOptions(bom: Bool.random(), delimiter: byte, raw: raw))
        var bytes: [UInt8] = []
        writer.writeHeader(into: &bytes)
        for row in rows { writer.writeRow(row.map { .text($0) }, into: &bytes) }

        var reader = CSVReader(delimiter: byte)
        var readRows: [[String]] = []
        var faults = 0
        let handle = { (event: CSVReader.Event) in
            switch event {
            case .header(let names): readRows.append(names)
            case .row(let row): readRows.append(row.fields)
            case .fault: faults += 1
            }
        }
        try reader.read(bytes, handle)
        try reader.finish(handle)
        let unguarded = readRows.map { $0.map { Array((raw ? $0 : FormulaGuard.removed(from: $0)).utf8) } }
        #expect(faults == 0)
        #expect(unguarded == ([["a", "=b", "c"]] + rows).map { $0.map { Array($0.utf8) } })
    }
}
