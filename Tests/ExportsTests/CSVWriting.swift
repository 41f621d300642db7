import Exports
import Foundation
import Testing

@Suite struct CSVWriting {
    private let columns = [Column("name", "Name", .text), Column("n", "Number", .integer)]

    @Test func textsAreQuotedAndNumbersAreNot() {
        let rows: [[Cell]] = [[.text("a \"b\"\r\nc"), .integer(-5)], [.text(""), .empty]]
        #expect(
            Sample.text(columns, rows) == "\"name\",\"n\"\r\n\"a \"\"b\"\"\r\nc\",-5\r\n\"\",\r\n")
    }

    @Test func everyKindOfCellHasItsFormat() {
        let columns = (0..<6).map { Column("c\($0)", "", .text) }
        let cells: [Cell] = [
            .flag(true), .flag(false), .day("2026-11-21"), .instant(.init(timeIntervalSince1970: 0)), .real(.nan),
            .real(0.1),
        ]
        #expect(Sample.text(columns, [cells]).hasSuffix("\r\n1,0,2026-11-21,1970-01-01T00:00:00Z,,0.1\r\n"))
    }

    @Test(arguments: [
        "=1+1", "+1", "-1", "@x", "\tx", "\rx", "'=1", "''@", "\nx", "\n", "＝1", "＋1", "－1", "＠x", "'＝1", " =1",
        "\u{200B}=1", "\u{FEFF}+1", "\u{2060}-1", "\u{202E}\u{200F}@x", "\u{3000}＝1", "\u{A0}\u{AD}=1", "' \t=1",
        "\u{0}=1", "\u{E0020}=1",
    ])
    func formulasAreGuarded(_ text: String) {
        #expect(FormulaGuard.guards(text))
        #expect(Sample.text(columns, [[.text(text), .empty]]).hasSuffix("\r\n\"'\(text)\",\r\n"))
        #expect(FormulaGuard.removed(from: "'" + text) == text)
    }

    @Test(arguments: [
        "", "'", "''", "'a", "a=1", " ", " x=1", "5-3", "'\u{301}=x", " '=1", "\u{200B}", "\u{200B}a", "é=1", "−1",
        "\u{FE0F}",
    ])
    func otherTextsAreUnchanged(_ text: String) {
        #expect(Sample.text(columns, [[.text(text), .empty]]).hasSuffix("\r\n\"\(text)\",\r\n"))
        #expect(FormulaGuard.removed(from: text) == text)
    }

    @Test func rawOptionOmitsTheGuard() {
        let text = Sample.text([Column("=h", "", .text)], [[.text("=1")]], ExportOptions(raw: true))
        #expect(text == "\"=h\"\r\n\"=1\"\r\n")
    }

    @Test func headersAreGuardedToo() {
        let columns = [Column("a", "=SUM(A1)", .text)]
        #expect(Sample.text(columns, [], ExportOptions(titles: true)) == "\"'=SUM(A1)\"\r\n")
    }

    @Test func byteOrderMarkDelimiterAndTitlesAreOptional() {
        let options = ExportOptions(bom: true, delimiter: UInt8(ascii: ";"), titles: true)
        #expect(
            Sample.text(columns, [[.text("a;b"), .integer(1)]], options)
                == "\u{FEFF}\"Name\";\"Number\"\r\n\"a;b\";1\r\n")
    }

    @Test func rowsAreCountedWithoutTheHeader() {
        var writer = TableWriter(columns: columns, options: ExportOptions())
        var bytes: [UInt8] = []
        writer.writeHeader(into: &bytes)
        #expect(writer.rows == 0)
        writer.writeRow([.empty, .integer(.min)], into: &bytes)
        #expect(writer.rows == 1)
        #expect(bytes.suffix(23) == Array(",-9223372036854775808\r\n".utf8)[...])
    }
}
