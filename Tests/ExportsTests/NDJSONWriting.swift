import Exports
import Foundation
import StrictJSON
import Testing

@Suite struct NDJSONWriting {
    @Test func rowIsAnObjectWithTypedValues() throws {
        let columns = ["t", "i", "r", "at", "d", "f", "e", "a\"b"].map { Column($0, "Title", .text) }
        let cells: [Cell] = [
            .text("=1\n\u{202E}\"\u{0}😀"), .integer(-5), .real(0.25), .instant(Date(timeIntervalSince1970: 0)),
            .day("2026-11-21"), .flag(true), .empty, .real(.infinity),
        ]
        let options = ExportOptions(format: .ndjson, bom: true, titles: true)
        let text = Sample.text(columns, [cells, cells], options)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3)
        #expect(lines[2].isEmpty)
        let object = try JSONValue.parse(String(lines[0]))
        #expect(object.members?.map(\.name) == columns.map(\.name))
        #expect(
            object.members?.map(\.value) == [
                .string("=1\n\u{202E}\"\u{0}😀"), .number("-5"), .number("0.25"), .string("1970-01-01T00:00:00Z"),
                .string("2026-11-21"), .number("1"), .null, .null,
            ])
    }

    @Test func tableWithoutRowsIsEmpty() {
        #expect(Sample.text([Column("a", "A", .text)], [], ExportOptions(format: .ndjson)) == "")
    }
}
