import Spreadsheets
import StrictJSON
import TestSupport
import Testing

/// Untrusted texts in cells: they are read back unchanged and never executed.
@Suite(.timeLimit(.minutes(15))) struct CellTexts {
    private let texts = [
        "plain", "two\nlines", "two\r\nlines", "lone\rreturn", "a \"quoted\" word", "\"", "'", "''", "'a", "'=1+1",
        "=1+1", "=HYPERLINK(\"http://example.org\")", "http://example.org", "mailto:a@example.org", "-5", "+5", "@x",
        "\t", "\ttab", " spaced ", "  ", "\n", "<b>&amp;</b>", "]]>", "&#10;", "😀👩‍👩‍👧", "עברית \u{202E}abc",
        "e\u{301}", "\u{301}", "é", "\u{FEFF}mark", "한국어 中文", "TRUE", "1e5", "007", "2026-11-21", "#N/A",
        "\u{7F}\u{85}",
        "\u{2028}", "\u{FFFD}", "\u{10FFFF}", "_x", "_xyz_", "x_x00_",
    ]

    /// Characters that XML cannot contain, and texts that look like their escapes.
    private let escaped = [
        "\u{1}", "a\u{8}b", "\u{B}\u{C}\u{E}", "\u{1F}", "\u{FFFE}", "\u{FFFF}x", "_x000A_", "_x0001_\u{1}",
        "__x00e9__",
        "_x005F_", "_x005F_x0041_", "_x0041", "_x004g_",
        "_x0041\u{7}", "_x0041\u{FFFE}", "_x0041_x0042\u{1}", "_x0041\u{FFFD}",
    ]

    /// Reads the texts with openpyxl, which leaves the escapes of the format to its caller. `unescape` applies
    /// openpyxl's function for them.
    private func read(_ texts: [String], unescape: Bool) async throws -> [String] {
        let bytes = await Workbook.bytes { book in
            book.begin("table", Workbook.columns("text"))
            for text in texts { book.row([.text(text)]) }
        }
        let result = try await PythonReader.read(
            bytes,
            as: """
                import openpyxl
                from openpyxl.utils.escape import unescape
                sheet = openpyxl.load_workbook(path)["table"]
                cells = [row[0] for row in sheet.iter_rows(2)]
                assert all(c.data_type in "sn" and c.hyperlink is None for c in cells), [c.data_type for c in cells]
                assert all(c.data_type == "s" or c.value is None for c in cells)
                result = [\(unescape ? "unescape(c.value or '')" : "c.value or ''") for c in cells]
                """)
        return try #require(result.array).map { try #require($0.string) }
    }

    private func scalars(_ texts: [String]) -> [[UInt32]] { texts.map { $0.unicodeScalars.map(\.value) } }

    @Test func textsRoundTrip() async throws {
        #expect(scalars(try await read(texts, unescape: false)) == scalars(texts))
    }

    @Test func charactersInvalidInXMLAreEscaped() async throws {
        #expect(scalars(try await read(escaped, unescape: true)) == scalars(escaped))
        #expect(try await read(["\u{1}", "_x000A_"], unescape: false) == ["_x0001_", "_x005F_x000A_"])
    }

    @Test func randomTextsRoundTrip() async throws {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("_xX0aAfF9<>&'\"=+-@ \t\n\r\u{1}\u{1F}\u{FFFE}\u{FFFF}é한😀\u{301}\u{202E}")
            .flatMap(\.unicodeScalars)
        let texts = (0..<2_000).map { _ in
            var text = ""
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                if Int.random(in: 0...4, using: &random) == 0 { text += "_x0041" }
                if let scalar = alphabet.randomElement(using: &random) { text.unicodeScalars.append(scalar) }
            }
            return text
        }
        #expect(scalars(try await read(texts, unescape: true)) == scalars(texts))
    }

    @Test func possibleFormulasAreMarkedAsQuoted() async throws {
        let texts = ["=1", "+1", "-1", "@a", "'a", "\ta", "\ra", "1", "a=1", ""]
        let bytes = await Workbook.bytes { book in
            book.begin("table", Workbook.columns("=text"))
            for text in texts { book.row([.text(text)]) }
        }
        let result = try await PythonReader.read(
            bytes,
            as: """
                import openpyxl
                result = [bool(r[0].quotePrefix) for r in openpyxl.load_workbook(path)["table"].iter_rows()]
                """)
        #expect(result.array == [.bool(false)] + texts.indices.map { .bool($0 < 7) })
    }

    @Test func textLongerThanACellIsTruncatedAndReported() async throws {
        let family = "👩‍👩‍👧"
        let fits = String(repeating: "x", count: 32_767)
        let longer = fits + "x"
        let emoji = String(repeating: family, count: 10_000)
        // One character. Joiners separate the marks, because parsers refuse more than 30 in a row.
        let marks = "a" + String(repeating: "\u{301}\u{200D}", count: 20_000)
        let bytes = await Workbook.bytes { book in
            book.begin("answers", Workbook.columns("n", "text"))
            for (number, text) in [fits, longer, emoji, marks].enumerated() {
                book.row([.integer(number), .text(text)])
            }
        }
        let sheets = try await Workbook.sheets(bytes)
        #expect(sheets.map(\.name) == ["answers", "Notes"])
        let cells = try #require(sheets.first).rows.dropFirst().compactMap { $0[1].string }
        #expect(cells[0] == fits)
        for (cell, original) in zip(cells.dropFirst(), [longer, emoji, marks]) {
            #expect(cell.utf16.count <= 32_767 && cell.utf16.count > 32_740)
            let prefix = try #require(cell.hasSuffix("… [cut, see Notes]") ? cell.dropLast(18) : nil)
            #expect(original.unicodeScalars.starts(with: prefix.unicodeScalars))
        }
        #expect(cells[2].dropLast(18).allSatisfy { String($0) == family })
        let notes = try #require(sheets.last).rows
        let sentence = "Cut off, because a cell holds 32767 characters; CSV and NDJSON have the full text."
        #expect(notes.first?.compactMap(\.string) == ["Sheet", "Cell", "Characters", "Note"])
        #expect(
            Array(notes.dropFirst())
                == [("B3", 32_768), ("B4", 80_000), ("B5", 40_001)].map {
                    [.string("answers"), .string($0.0), .number(String($0.1)), .string(sentence)]
                })
    }

    @Test func notesOverTheLimitAreCounted() async throws {
        var limits = SheetLimits()
        (limits.characters, limits.notes) = (30, 3)
        let bytes = await Workbook.bytes(limits: limits) { book in
            book.begin("answers", Workbook.columns("text"))
            for number in 0..<5 { book.row([.text(String(repeating: "\(number)", count: 31))]) }
        }
        let notes = try #require(try await Workbook.sheets(bytes).last).rows
        #expect(notes.count == 5)
        #expect(notes.last?.last == .string("2 more notes are not listed."))
    }
}
