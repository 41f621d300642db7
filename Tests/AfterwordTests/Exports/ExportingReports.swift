import Foundation
import StrictJSON
import Testing

@testable import TestSupport

@Suite struct ExportingReports {
    /// Imports two rounds with a rating and a text. Returns the id of the second one.
    private func importTwoRounds(_ workspace: Workspace) async throws -> String {
        let csv = "week,pace,why\n1,4,a\n1,5,b\n2,2,더 많은 데모\n2,3,العرض كان جيدا\n"
        let map = """
            {"series": {"title": "Retro"}, "meeting": {"by": "week", "order": "ascending", "title": "Week {week}"},
             "questions": [
               {"column": "pace", "key": "pace", "kind": "rating", "title": "Pace"},
               {"column": "why", "key": "why", "kind": "text", "title": "Why"}]}
            """
        let imported = try await workspace.importFile(
            workspace.folder.write(csv, to: "in.csv"), map: workspace.folder.write(map, to: "in.json"))
        #expect(imported.status == 0, "\(imported.errors)")
        let table = try await workspace.run(["export", "meetings", "--all", "--format", "ndjson"]).output
        let last = try #require(table.split(separator: "\n").last)
        return try #require(JSONValue.parse(Array(last.utf8))["meeting_id"]?.string)
    }

    private func text(_ path: String, _ folder: TemporaryFolder) async throws -> String {
        let (status, output) = try await Command.outcome(of: ["pdftotext", "-layout", path, "-"], log: folder / "log")
        #expect(status == 0, "\(output)")
        return output
    }

    @Test func fileHasTheWordsOfItsLanguage() async throws {
        try await Workspace.using { workspace in
            let meeting = try await importTwoRounds(workspace)
            let file = workspace.folder / "report.pdf"
            for (language, words) in [
                ([], ["mean 2.50", "Page 1 of 1"]), (["--language", "de"], ["Seite 1 von 1"]),
                (["--language", "ko"], ["평균 2.50"]),
            ] {
                let outcome = try await workspace.run(
                    ["export", "report", "--meeting", meeting, "--output", file] + language)
                #expect(outcome.status == 0 && outcome.output == "" && outcome.errors == "", "\(outcome.errors)")
                let report = try await text(file, workspace.folder)
                for word in ["Week 2", "더 많은 데모"] + words { #expect(report.contains(word), "\(report)") }
            }
        }
    }

    @Test func unknownMeetingLeavesTheFileAsItWas() async throws {
        try await Workspace.using { workspace in
            let file = try workspace.folder.write("before", to: "report.pdf")
            let unknown = "0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11"
            let outcome = try await workspace.run(["export", "report", "--meeting", unknown, "--output", file])
            #expect(outcome.status == 1 && outcome.errors == "There is no meeting \(unknown).\n")
            #expect(workspace.folder.read("report.pdf") == "before")
        }
    }

    @Test func failedConversionLeavesNoFile() async throws {
        try await Workspace.using { workspace in
            let meeting = try await importTwoRounds(workspace)
            let tools = workspace.folder / "tools"
            try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
            let tool = try workspace.folder.write(
                "#!/bin/sh\necho 'no font' >&2; exit 3\n", to: "tools/rsvg-convert")
            chmod(tool, 0o755)
            let outcome = try await workspace.shell(
                "PATH='\(tools)':\"$PATH\" afterword export report --meeting \(meeting) --output '\(workspace.folder / "r.pdf")'"
            )
            #expect(outcome.status == 1 && outcome.errors == "rsvg-convert failed: no font.\n", "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: workspace.folder / "r.pdf"))
        }
    }

    @Test func missingConverterIsReportedWithItsPackage() async throws {
        let outcome = try await Program.run(
            [
                "export", "report", "--meeting", "0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11", "--output",
                "/dev/shm/report.pdf",
            ],
            environment: ["PATH": "/nowhere"])
        #expect(
            outcome.status == 1 && outcome.errors.contains("install the package librsvg2-bin."), "\(outcome.errors)")
    }

    @Test(arguments: [
        (["--all", "--output", "x"], "A report is about one meeting: choose it with --meeting."),
        (["--meeting", "7", "--output", "x"], "--meeting has the invalid value \"7\"; expected an id."),
        (["--all", "--output", "x", "--bom"], "--bom applies to tables, not to reports."),
        (["--all", "--output", "x", "--format", "png"], "A report is a PDF file: leave --format out."),
        (["--all", "--output", "x", "--from", "2026-01-01"], "A report is about one meeting: leave the period out."),
        (["--output", "x"], "Choose what to export: --meeting, --series or --all."),
        (
            ["--meeting", "0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11", "--output", "x", "--language", "fr"],
            "--language has the invalid value \"fr\"; expected de, en, ko."
        ),
    ])
    func misuseEndsWithStatus2(arguments: [String], sentence: String) async throws {
        let outcome = try await Program.run(["export", "report"] + arguments)
        #expect(outcome.status == 2 && outcome.sentence == sentence, "\(outcome.errors)")
        let table = try await Program.run(["export", "summary", "--all", "--language", "de"])
        #expect(table.status == 2 && table.sentence == "--language applies to reports only.")
    }
}
