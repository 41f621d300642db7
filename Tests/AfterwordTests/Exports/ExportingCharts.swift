import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite struct ExportingCharts {
    private func names(_ workspace: Workspace, _ folder: String = "charts") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: workspace.folder / folder).sorted()
    }

    /// Imports two rounds of one series with a rating, a choice and a text.
    private func importTwoRounds(_ workspace: Workspace) async throws -> (series: String, meeting: String) {
        let csv = "week,pace,food,why\n1,4,Soup,a\n1,5,Rice,b\n2,2,Soup,c\n"
        let map = """
            {"series": {"title": "Mittag / 점심 & ../.."}, "meeting": {"by": "week", "order": "ascending", "title": "Week {week}"},
             "questions": [
               {"column": "pace", "key": "pace", "kind": "rating", "title": "Pace"},
               {"column": "food", "key": "food", "kind": "choice", "title": "Food"},
               {"column": "why", "key": "why", "kind": "text", "title": "Why"}]}
            """
        let imported = try await workspace.importFile(
            workspace.folder.write(csv, to: "in.csv"), map: workspace.folder.write(map, to: "in.json"))
        #expect(imported.status == 0, "\(imported.errors)")
        let table = try await workspace.run(["export", "meetings", "--all", "--format", "ndjson"]).output
        let first = try JSONValue.parse(Array(table.prefix { $0 != "\n" }.utf8))
        return (try #require(first["series_id"]?.string), try #require(first["meeting_id"]?.string))
    }

    @Test func filesAreNamedAfterTheirQuestions() async throws {
        try await Workspace.using { workspace in
            let (series, meeting) = try await importTwoRounds(workspace)
            let one = try await workspace.run([
                "export", "charts", "--meeting", meeting, "--output", workspace.folder / "charts",
            ])
            #expect(one.status == 0, "\(one.errors)")
            #expect(one.output == "2 pictures in \(workspace.folder / "charts").\n" && one.errors == "")
            #expect(try names(workspace) == ["01-pace.svg", "02-food.svg"])
            let rounds = try await workspace.run(
                ["export", "charts", "--series", series, "--output", workspace.folder / "a/b", "--quiet"])
            #expect(rounds.status == 0 && rounds.output == "")
            #expect(
                try names(workspace, "a/b") == [
                    "round-001-01-pace.svg", "round-001-02-food.svg", "round-002-01-pace.svg", "round-002-02-food.svg",
                ])
            let all = try await workspace.run(["export", "charts", "--all", "--output", workspace.folder / "all"])
            #expect(all.status == 0)
            let idSuffix = series.suffix(12)
            #expect(try names(workspace, "all").first == "mittag-점심-\(idSuffix)-round-001-01-pace.svg")
            #expect(try names(workspace, "all").count == 4)
        }
    }

    @Test func picturesEqualThoseOfTheAPI() async throws {
        try await Workspace.using { workspace in
            let (_, meeting) = try await importTwoRounds(workspace)
            #expect(
                try await workspace.run([
                    "export", "charts", "--meeting", meeting, "--output", workspace.folder / "charts",
                ])
                .status == 0)
            try await RunningService(["--database-url", workspace.database.url] + workspace.options).using { service in
                let session = try await service.client.post(
                    "/v1/sessions", json: #"{"email": "\#(Workspace.email)", "password": "\#(Workspace.password)"}"#)
                let client = service.client.bearing(try #require(session.json?["token"]?.string))
                for (file, key) in [("01-pace.svg", "pace"), ("02-food.svg", "food")] {
                    let response = try await client.get("/v1/meetings/\(meeting)/results/\(key).svg")
                    #expect(
                        response.status == 200 && response.text == workspace.folder.read("charts/\(file)"), "\(key)")
                }
            }
        }
    }

    @Test func pngHasTwiceTheSize() async throws {
        try await Workspace.using { workspace in
            let (_, meeting) = try await importTwoRounds(workspace)
            let outcome = try await workspace.run([
                "export", "charts", "--meeting", meeting, "--format", "png", "--output", workspace.folder / "charts",
            ])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try names(workspace) == ["01-pace.png", "02-food.png"])
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: workspace.folder / "charts/01-pace.png")))
            #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            #expect(bytes[16..<20].reduce(0) { $0 << 8 | Int($1) } == 1280)
        }
    }

    @Test func missingConverterIsReportedWithItsPackage() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Program.run(
            ["export", "charts", "--all", "--format", "png", "--output", folder / "charts"],
            environment: ["PATH": "/nowhere"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("install the package librsvg2-bin") && outcome.output == "")
        #expect(!FileManager.default.fileExists(atPath: folder / "charts"))
    }

    @Test(arguments: [
        ("echo 'no font' >&2; exit 3", "no font"), ("exit 0", "an incomplete picture"),
        (#"printf '\211PNG\r\n\032\n and no more'"#, "an incomplete picture"),
    ])
    func failedConversionLeavesNoFile(script: String, reason: String) async throws {
        try await Workspace.using { workspace in
            let (_, meeting) = try await importTwoRounds(workspace)
            let tools = workspace.folder / "tools"
            try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
            let tool = try workspace.folder.write(
                "#!/bin/sh\n\(script)\n", to: "tools/rsvg-convert")
            chmod(tool, 0o755)
            let outcome = try await workspace.shell(
                "PATH='\(tools)':\"$PATH\" afterword export charts --meeting \(meeting) --format png --output '\(workspace.folder / "charts")'"
            )
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("(rsvg-convert: ") && outcome.errors.contains(reason), "\(outcome.errors)")
            #expect(try names(workspace) == [])
        }
    }

    @Test func exportWithoutMeetingsWritesNoPictures() async throws {
        try await Workspace.using { workspace in
            let outcome = try await workspace.run([
                "export", "charts", "--all", "--output", workspace.folder / "charts",
            ])
            #expect(outcome.status == 0 && outcome.output.hasPrefix("0 pictures in "))
            #expect(try names(workspace) == [])
        }
    }

    @Test func failedWriteIsReportedAndLeavesNoPartialFile() async throws {
        try await Workspace.using { workspace in
            let (_, meeting) = try await importTwoRounds(workspace)
            let outcome = try await workspace.shell(
                "ulimit -f 1; LLVM_PROFILE_FILE=/dev/null afterword export charts --meeting \(meeting) --output '\(workspace.folder / "charts")'"
            )
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.hasPrefix(
                    "The file \(workspace.folder / "charts")/01-pace.svg cannot be written (File too large)"),
                "\(outcome.errors)")
            #expect(try names(workspace) == [])
            let nowhere = try await workspace.run(["export", "charts", "--all", "--output", "/proc/nowhere/charts"])
            #expect(nowhere.status == 1)
            #expect(
                nowhere.errors.hasPrefix(
                    "The folder /proc/nowhere/charts cannot be created (No such file or directory)"))
        }
    }

    @Test(arguments: [
        (
            ["--all", "--format", "csv", "--output", "x"],
            "--format csv is for tables: charts are written as svg or png."
        ),
        (["--all"], "Each chart is a file: choose a folder with --output."),
        (
            ["--all", "--output", "/dev/null"],
            "/dev/null is not a folder, and each chart is a separate file: name a folder."
        ),
        (["--all", "--output", "x", "--bom"], "--bom applies to tables, not to charts."),
        (["--all", "--output", "x", "--delimiter", ";"], "--delimiter applies to tables, not to charts."),
        (["--output", "x"], "Choose what to export: --meeting, --series or --all."),
        (["--all", "--output", "x", "--format", "jpeg"], "The value 'jpeg' is invalid for '--format <format>'."),
    ])
    func misuseEndsWithStatus2(arguments: [String], sentence: String) async throws {
        let outcome = try await Program.run(["export", "charts"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.sentence.hasPrefix(sentence), "\(outcome.errors)")
        let table = try await Program.run(["export", "summary", "--all", "--format", "png"])
        #expect(
            table.status == 2 && table.sentence.hasPrefix("--format png is for charts: a table is written as csv"))
    }
}
