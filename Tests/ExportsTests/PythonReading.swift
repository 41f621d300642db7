import Exports
import Foundation
import StrictJSON
import Testing

/// Reads exported files with Python's readers.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
struct PythonReading {
    private let texts = [
        "plain", "two\nlines", "two\r\nlines", "lone\rreturn", "a \"quoted\" word", "\"", "\"\"", ",", ";", "", "😀👩‍👩‍👧",
        "עברית \u{202E}abc",
        "'=1+1", "'", "''", "'a", "=1+1", "-5", "+5", "@x", "\t", "e\u{301}", "é", "\u{FEFF}mark", " spaced ",
        "\n=1", "＝1", "\u{200B}=1", " =1", " '=1",
    ]

    private func runPython(_ script: String, _ input: [UInt8]) throws -> JSONValue {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script]
        let stdin = Pipe()
        let stdout = Pipe()
        (process.standardInput, process.standardOutput) = (stdin, stdout)
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        let output = try #require(try stdout.fileHandleForReading.readToEnd())
        process.waitUntilExit()
        return try JSONValue.parse(output)
    }

    private let readCSV = """
        import csv, io, json, sys
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="")
        json.dump(list(csv.reader(text, strict=True)), sys.stdout)
        """

    @Test(arguments: [true, false]) func csvIsReadCellByCell(_ raw: Bool) throws {
        // A header may contain equal titles, because two questions may have the same one.
        let columns = [Column("a", "Same", .text), Column("b", "Same", .text), Column("c", "=C", .integer)]
        let rows = texts.enumerated().map { [Cell.text($1), .text("'" + $1), .integer(-$0)] }
        let text = Sample.text(columns, rows, ExportOptions(titles: true, raw: raw))
        let read = try #require(try runPython(readCSV, Array(text.utf8)).array)
        #expect(read.first == .array([.string("Same"), .string("Same"), .string(raw ? "=C" : "'=C")]))
        let cells = read.dropFirst().map { row in
            (row.array ?? []).compactMap(\.string).map { raw ? $0 : FormulaGuard.removed(from: $0) }
        }
        let expected = texts.enumerated().map { [$1, "'" + $1, String(-$0)] }
        #expect(cells.map { $0.map { Array($0.utf8) } } == expected.map { $0.map { Array($0.utf8) } })
    }

    @Test func ndjsonIsReadLineByLine() throws {
        let script = """
            import json, sys
            json.dump([json.loads(line)["a"] for line in sys.stdin.buffer], sys.stdout)
            """
        let text = Sample.text(
            [Column("a", "A", .text)], texts.map { [.text($0)] }, ExportOptions(format: .ndjson))
        let read = try runPython(script, Array(text.utf8))
        #expect(read.array?.compactMap(\.string).map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    }
}
