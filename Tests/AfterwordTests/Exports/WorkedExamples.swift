import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

/// Runs the examples of docs/imports-exports.md.
@Suite struct WorkedExamples {
    /// The code blocks of the document in this language, in order.
    private static func blocks(_ language: String) throws -> [String] {
        let text = try String(contentsOfFile: IndependentCheck.root + "/docs/imports-exports.md", encoding: .utf8)
        return text.components(separatedBy: "```" + language + "\n").dropFirst().map { part in
            part.components(separatedBy: "```")[0]
        }
    }

    private static func block(_ language: String, with text: String) throws -> String {
        try #require(try blocks(language).first { $0.contains(text) }, "\(text)")
    }

    /// Imports the example file of the document with its map.
    private static func importRetro(_ workspace: Workspace) async throws {
        let file = try workspace.folder.write(try block("text", with: "team,week"), to: "retro.csv")
        let map = try workspace.folder.write(try block("json", with: "\"by\": \"team\""), to: "retro.map.json")
        for more in [["--dry-run"], []] {
            let outcome = try await workspace.run(
                ["import", file, "--map", map, "--host-email", Workspace.email] + more)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test func importCreatesTwoSeriesAndThreeSubmissions() async throws {
        try await Workspace.using { workspace in
            try await Self.importRetro(workspace)
            let meetings = try await workspace.run(["export", "meetings", "--all", "--format", "ndjson"]).output
                .split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
            #expect(Set(meetings.compactMap { $0["series"]?.string }) == ["Retro of team Blue", "Retro of team Red"])
            #expect(meetings.compactMap { $0["submissions"]?.int }.sorted() == [1, 2])
        }
    }

    @Test func pivotTableCountsTheAnswers() async throws {
        try await Workspace.using { workspace in
            try await Self.importRetro(workspace)
            let summary = try await workspace.run([
                "export", "summary", "--all", "--output", workspace.folder / "summary.csv",
            ])
            #expect(summary.status == 0, "\(summary.errors)")
            let script = try workspace.folder.write(try Self.block("python", with: "pivot_table"), to: "pivot.py")
            let outcome = try await Program.run(
                ["-c", "cd '\(workspace.folder.path)' && '\(IndependentCheck.root)/.venv/bin/python' '\(script)'"],
                program: "/bin/sh")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let rows = outcome.output.split(separator: "\n").map(String.init)
            #expect(rows.first?.hasSuffix("1  2  3  4  5  mean") == true, "\(outcome.output)")
            // Red rated 2, Blue rated 4 and 5.
            for (team, counts) in [("Blue", "0  0  0  1  1   4.5"), ("Red", "0  1  0  0  0   2.0")] {
                let row = rows.first { $0.hasPrefix("Retro of team \(team)") }
                #expect(row?.hasSuffix("1     Week 3   \(counts)") == true, "\(outcome.output)")
            }
        }
    }

    /// Moves one of the two meetings into last week.
    private static func moveOneIntoLastWeek(_ workspace: Workspace) async throws {
        let pool = Pool(PostgresConfiguration(url: workspace.database.url), size: 1)
        try await pool.execute(
            """
            UPDATE meeting SET starts_at = t.noon, ends_at = t.one
            FROM (SELECT noon, noon + interval '1 hour' AS one
                FROM (SELECT (date_trunc('week', now() AT TIME ZONE 'Europe/Berlin') - interval '3 days 12 hours')
                    AT TIME ZONE 'Europe/Berlin' AS noon) n) t
            WHERE id = (SELECT meeting_id FROM form ORDER BY id LIMIT 1)
            """)
        await pool.close()
    }

    /// Runs the line as cron does: with few environment variables, in another folder, and with `\%` replaced by `%`.
    @Test func cronLineWritesAWorkbookWithCharts() async throws {
        try await Workspace.using { workspace in
            try await Self.importRetro(workspace)
            try await Self.moveOneIntoLastWeek(workspace)
            let line = try Self.block("shell", with: "--format xlsx --titles --data")
            #expect(line.hasPrefix("0 6 * * 1 /usr/local/bin/afterword ") && !line.dropLast().contains("\n"))
            var command = String(line.dropFirst("0 6 * * 1 ".count)).replacingOccurrences(of: "\\%", with: "%")
            for (documented, actual) in [
                ("/usr/local/bin/afterword", Program.path), ("/srv/afterword/.afterword", workspace.folder / "data"),
                ("/srv/reports", workspace.folder.path),
            ] {
                command = command.replacingOccurrences(of: documented, with: actual)
            }
            let environment = "HOME=/nowhere PATH=/usr/bin:/bin AFTERWORD_DATABASE_URL='\(workspace.database.url)'"
            let outcome = try await Program.run(
                ["-c", "cd / && exec env -i \(environment) /bin/sh -c '\(command)'"], program: "/bin/sh")
            #expect(outcome.status == 0 && outcome.errors.isEmpty && outcome.output.isEmpty, "\(outcome.errors)")
            let today = try await workspace.shell("date +%F").output.dropLast()
            let file = try Data(contentsOf: URL(fileURLWithPath: workspace.folder / "summary-\(today).xlsx"))
            let sheets = try await PythonReader.read(
                Array(file),
                as: """
                    import openpyxl
                    book = openpyxl.load_workbook(path)
                    result = [[sheet.title, sheet.max_row, len(sheet._charts)] for sheet in book.worksheets]
                    """)
            // Five ratings, two options and a text; a chart for each of the first two questions.
            #expect(sheets.text == #"[["summary",9,0],["Charts",1,2]]"#)
        }
    }

    @Test func cronLineExportsTheMeetingsOfLastWeek() async throws {
        try await Workspace.using { workspace in
            try await Self.importRetro(workspace)
            try await Self.moveOneIntoLastWeek(workspace)
            let line = try Self.block("shell", with: "0 6 * * 1")
            #expect(line.hasPrefix("0 6 * * 1 cd /srv/afterword && "))
            let command = line.dropFirst("0 6 * * 1 ".count).replacingOccurrences(
                of: "cd /srv/afterword", with: "cd '\(workspace.folder.path)'")
            let outcome = try await workspace.shell(command)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            #expect(workspace.folder.read("meetings.csv").split(separator: "\r\n").count == 2)
            #expect(workspace.folder.read("questions.csv").split(separator: "\r\n").count == 4)
        }
    }
}
