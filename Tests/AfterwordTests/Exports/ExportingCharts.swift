import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite struct ExportingCharts {
    private func names(_ place: Workplace, _ folder: String = "charts") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.folder / folder).sorted()
    }

    /// Two rounds of one series with a rating, a choice and a text.
    private func bring(_ place: Workplace) async throws -> (series: String, meeting: String) {
        let csv = "week,pace,food,why\n1,4,Soup,a\n1,5,Rice,b\n2,2,Soup,c\n"
        let map = """
            {"series": {"title": "Mittag / 점심 & ../.."}, "meeting": {"by": "week", "order": "ascending", "title": "Week {week}"},
             "questions": [
               {"column": "pace", "key": "pace", "kind": "rating", "title": "Pace"},
               {"column": "food", "key": "food", "kind": "choice", "title": "Food"},
               {"column": "why", "key": "why", "kind": "text", "title": "Why"}]}
            """
        let brought = try await place.bring(
            place.folder.write(csv, to: "in.csv"), map: place.folder.write(map, to: "in.json"))
        #expect(brought.status == 0, "\(brought.errors)")
        let table = try await place.run(["export", "meetings", "--all", "--format", "ndjson"]).output
        let first = try JSONValue.parse(Array(table.prefix { $0 != "\n" }.utf8))
        return (try #require(first["series_id"]?.string), try #require(first["meeting_id"]?.string))
    }

    @Test func filesAreNamedAfterTheirQuestions() async throws {
        try await Workplace.using { place in
            let (series, meeting) = try await bring(place)
            let one = try await place.run([
                "export", "charts", "--meeting", meeting, "--output", place.folder / "charts",
            ])
            #expect(one.status == 0, "\(one.errors)")
            #expect(one.output == "2 pictures in \(place.folder / "charts").\n" && one.errors == "")
            #expect(try names(place) == ["01-pace.svg", "02-food.svg"])
            let rounds = try await place.run(
                ["export", "charts", "--series", series, "--output", place.folder / "a/b", "--quiet"])
            #expect(rounds.status == 0 && rounds.output == "")
            #expect(
                try names(place, "a/b") == [
                    "round-001-01-pace.svg", "round-001-02-food.svg", "round-002-01-pace.svg", "round-002-02-food.svg",
                ])
            let all = try await place.run(["export", "charts", "--all", "--output", place.folder / "all"])
            #expect(all.status == 0)
            let tail = series.suffix(12)
            #expect(try names(place, "all").first == "mittag-점심-\(tail)-round-001-01-pace.svg")
            #expect(try names(place, "all").count == 4)
        }
    }

    @Test func bytesEqualThoseOfTheAPI() async throws {
        try await Workplace.using { place in
            let (_, meeting) = try await bring(place)
            #expect(
                try await place.run(["export", "charts", "--meeting", meeting, "--output", place.folder / "charts"])
                    .status == 0)
            try await RunningService(["--database-url", place.database.url] + place.options).using { service in
                let session = try await service.client.post(
                    "/v1/sessions", json: #"{"email": "\#(Workplace.email)", "password": "\#(Workplace.password)"}"#)
                let client = service.client.bearing(try #require(session.json?["token"]?.string))
                for (file, key) in [("01-pace.svg", "pace"), ("02-food.svg", "food")] {
                    let answer = try await client.get("/v1/meetings/\(meeting)/results/\(key).svg")
                    #expect(answer.status == 200 && answer.text == place.folder.read("charts/\(file)"), "\(key)")
                }
            }
        }
    }

    @Test func pngHasTwiceTheSize() async throws {
        try await Workplace.using { place in
            let (_, meeting) = try await bring(place)
            let outcome = try await place.run([
                "export", "charts", "--meeting", meeting, "--format", "png", "--output", place.folder / "charts",
            ])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try names(place) == ["01-pace.png", "02-food.png"])
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: place.folder / "charts/01-pace.png")))
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
        ("echo 'no font' >&2; exit 3", "no font"), ("exit 0", "no whole picture"),
        (#"printf '\211PNG\r\n\032\n and no more'"#, "no whole picture"),
    ])
    func failedConversionLeavesNoFile(script: String, reason: String) async throws {
        try await Workplace.using { place in
            let (_, meeting) = try await bring(place)
            let tools = place.folder / "tools"
            try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
            let tool = try place.folder.write(
                "#!/bin/sh\n\(script)\n", to: "tools/rsvg-convert")
            chmod(tool, 0o755)
            let outcome = try await place.shell(
                "PATH='\(tools)':\"$PATH\" afterword export charts --meeting \(meeting) --format png --output '\(place.folder / "charts")'"
            )
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("(rsvg-convert: ") && outcome.errors.contains(reason), "\(outcome.errors)")
            #expect(try names(place) == [])
        }
    }

    @Test func missingMeetingIsReported() async throws {
        try await Workplace.using { place in
            let outcome = try await place.run(["export", "charts", "--all", "--output", place.folder / "charts"])
            #expect(outcome.status == 0 && outcome.output.hasPrefix("0 pictures in "))
            #expect(try names(place) == [])
        }
    }

    @Test func fullFolderIsReportedAndHasNoPartialFile() async throws {
        try await Workplace.using { place in
            let (_, meeting) = try await bring(place)
            let outcome = try await place.shell(
                "ulimit -f 1; LLVM_PROFILE_FILE=/dev/null afterword export charts --meeting \(meeting) --output '\(place.folder / "charts")'"
            )
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.hasPrefix(
                    "The file \(place.folder / "charts")/01-pace.svg cannot be written (File too large)"),
                "\(outcome.errors)")
            #expect(try names(place) == [])
            let nowhere = try await place.run(["export", "charts", "--all", "--output", "/proc/nowhere/charts"])
            #expect(nowhere.status == 1)
            #expect(
                nowhere.errors.hasPrefix("The folder /proc/nowhere/charts cannot be made (No such file or directory)"))
        }
    }

    @Test(arguments: [
        (
            ["--all", "--format", "csv", "--output", "x"],
            "--format csv is for tables: charts are written as svg or png."
        ),
        (["--all"], "Each chart is a file: choose a folder with --output."),
        (["--all", "--output", "/dev/null"], "/dev/null is no folder, and charts are a file each: name a folder."),
        (["--all", "--output", "x", "--bom"], "--bom says how a table is written: charts are none."),
        (["--all", "--output", "x", "--delimiter", ";"], "--delimiter says how a table is written: charts are none."),
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
