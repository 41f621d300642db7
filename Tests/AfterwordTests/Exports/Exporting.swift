import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@Suite struct Exporting {
    @Test func exportedBytesEqualThoseOfTheAPI() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            try await RunningService(["--database-url", workspace.database.url] + workspace.options).using { service in
                let session = try await service.client.post(
                    "/v1/sessions", json: #"{"email": "\#(Workspace.email)", "password": "\#(Workspace.password)"}"#)
                let client = service.client.bearing(try #require(session.json?["token"]?.string))
                let list = try await client.get("/v1/meetings?limit=1")
                let meeting = try #require(list.json?["items"]?.array?.first)
                let (id, series) = (
                    try #require(meeting["id"]?.string), try #require(meeting["seriesId"]?.string)
                )
                try await Self.schedule(id, in: workspace)
                let (from, to) = ("2026-01-01", "2027-01-01T00:00:00Z")
                let period = ["--from", from, "--to", to]
                for table in ["summary", "questions", "meetings", "submissions", "answers", "attendance"] {
                    var scopes = [
                        ("/v1/meetings/\(id)", "", ["--meeting", id]),
                        ("/v1/series/\(series)", "", ["--series", series]),
                        ("/v1/series/\(series)", "from=\(from)&to=\(to)", ["--series", series] + period),
                    ]
                    if table != "submissions" {
                        scopes.append(("/v1/admin", "", ["--all"]))
                        scopes.append(("/v1/admin", "from=\(from)&to=\(to)", ["--all"] + period))
                    }
                    for (index, (path, span, scope)) in scopes.enumerated() {
                        // The format of a table does not depend on its scope, so the styles are tested with one scope.
                        for (format, query, flags) in index == 0 ? Self.formats + Self.styles : Self.formats {
                            let parameters = [span, query].filter { !$0.isEmpty }.joined(separator: "&")
                            let response = try await client.get("\(path)/export/\(table).\(format)?\(parameters)")
                            #expect(response.status == 200, "\(response.text)")
                            let file = workspace.folder / "table"
                            let outcome = try await workspace.run(
                                ["export", table, "--format", format, "--output", file] + scope + flags)
                            #expect(outcome.status == 0, "\(outcome.errors)")
                            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
                            #expect(bytes == response.body, "\(table) \(format) \(scope) \(flags)")
                        }
                    }
                }
            }
        }
    }

    /// Gives an imported meeting a time within the period, and an absent attendee.
    private static func schedule(_ id: String, in workspace: Workspace) async throws {
        let pool = Pool(PostgresConfiguration(url: workspace.database.url), size: 1)
        try await pool.execute(
            """
            UPDATE meeting SET starts_at = '2026-03-01T09:00:00Z', ends_at = '2026-03-01T10:00:00Z'
            WHERE id = \(UUID(uuidString: id))
            """)
        try await pool.execute(
            """
            INSERT INTO attendee (id, meeting_id, name, email)
            VALUES (gen_random_uuid(), \(UUID(uuidString: id)), '=Ann', 'ann@example.org')
            """)
        await pool.close()
    }

    private static let formats: [(format: String, query: String, flags: [String])] = [
        ("csv", "", []), ("ndjson", "", []), ("xlsx", "", []),
    ]
    private static let styles: [(format: String, query: String, flags: [String])] = [
        ("xlsx", "titles&bom&raw=1", ["--titles"]),
        ("csv", "bom&delimiter=%3B&titles=true&raw=1", ["--bom", "--delimiter", ";", "--titles", "--raw"]),
    ]

    @Test func fileIsReplacedAtomicallyAndKeepsItsMode() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            let file = try workspace.folder.write("old", to: "summary.csv")
            chmod(file, 0o600)
            let outcome = try await workspace.run(["export", "meetings", "--all", "--output", file])
            #expect(outcome.status == 0)
            #expect(outcome.output == "" && outcome.errors == "")
            #expect(
                workspace.folder.read("summary.csv")
                    == (try await workspace.run(["export", "meetings", "--all"]).output))
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(symlink(file, workspace.folder / "link") == 0)
            #expect(
                try await workspace.run(["export", "questions", "--all", "--output", workspace.folder / "link"]).status
                    == 0)
            #expect(workspace.folder.read("summary.csv").contains("standard_deviation"))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: workspace.folder / "link") == file)
        }
    }

    /// A limit on the file size simulates a full disk: the write fails and also raises a signal.
    @Test func failedWriteLeavesTheOldFileAndNoOther() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            let file = try workspace.folder.write("old", to: "answers.csv")
            let outcome = try await workspace.shell(
                "ulimit -f 64; LLVM_PROFILE_FILE=/dev/null afterword export answers --all --output '\(file)'")
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("The file \(file) cannot be written (File too large): "))
            #expect(outcome.errors.split(separator: "\n").count == 1)
            #expect(workspace.folder.read("answers.csv") == "old")
            let names = try FileManager.default.contentsOfDirectory(atPath: workspace.folder.path)
            #expect(Set(names) == ["data", "answers.csv"])
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullOutputDeviceIsReported() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            let outcome = try await workspace.shell("afterword export answers --all > /dev/full")
            #expect(outcome.status == 1)
            #expect(outcome.errors == "The output cannot be written (No space left on device).\n")
        }
    }

    @Test func closedPipeEndsWithStatus1() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            let outcome = try await workspace.shell("afterword export answers --all | head -1; exit ${PIPESTATUS[0]}")
            #expect(outcome.status == 1)
            #expect(outcome.output.hasPrefix("\"meeting_id\","))
            #expect(outcome.errors == "The reader of the output closed it before its end.\n")
        }
    }

    /// The reader holds the pipe open without reading. SIGTERM must still end the program.
    @Test func stalledReaderDoesNotPreventTermination() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            let pipe = workspace.folder / "pipe"
            let line = """
                mkfifo '\(pipe)'
                exec 3<> '\(pipe)'
                '\(Program.path)' export answers --all --data '\(workspace.folder / "data")' > '\(pipe)' &
                read -r -N 1 -u 3
                kill -TERM $!
                wait $!
                """
            let outcome = try await workspace.shell(line)
            #expect(outcome.status == 1)
            #expect(outcome.errors == "Interrupted before the end.\n")
        }
    }

    @Test func rowsAndDigestAreShownOnlyOnATerminal() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            let file = workspace.folder / "meetings.csv"
            let command =
                "'\(Program.path)' export meetings --all --output '\(file)' --data '\(workspace.folder / "data")'"
            let script = { (option: String) in
                try await workspace.shell("script -qec \"\(command)\(option)\" /dev/null < /dev/null")
            }
            let outcome = try await script("")
            #expect(outcome.status == 0)
            let digest = try await workspace.shell("sha256sum < '\(file)'").output.prefix(64)
            #expect(outcome.output.contains("49 rows, "))
            #expect(outcome.output.contains("SHA-256 \(digest)"))
            #expect(try await script(" --quiet").output == "")
        }
    }

    @Test func workbookIsNotWrittenToATerminal() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            let command = "'\(Program.path)' export summary --all --format xlsx --data '\(workspace.folder / "data")'"
            let shown = try await workspace.shell("script -qec \"\(command)\" /dev/null < /dev/null")
            #expect(shown.status == 2)
            #expect(shown.output.hasPrefix("XLSX cannot be shown in a terminal: name a file with --output."))
            let piped = try await workspace.shell("\(command) | head -c 2")
            #expect(piped.output == "PK")
        }
    }

    @Test func failedWriteLeavesNoPartialWorkbook() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            let file = try workspace.folder.write("old", to: "answers.xlsx")
            let outcome = try await workspace.shell(
                """
                ulimit -f 4
                LLVM_PROFILE_FILE=/dev/null afterword export answers --all --format xlsx --output '\(file)'
                """)
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("The file \(file) cannot be written (File too large): "))
            #expect(workspace.folder.read("answers.xlsx") == "old")
            let names = try FileManager.default.contentsOfDirectory(atPath: workspace.folder.path)
            #expect(Set(names) == ["data", "answers.xlsx"])
        }
    }

    @Test func unknownScopesAndInvalidPeriodsAreReported() async throws {
        try await Workspace.using { workspace in
            let id = "00000000-0000-4000-8000-000000000000"
            for scope in ["meeting", "series"] {
                let outcome = try await workspace.run(["export", "summary", "--\(scope)", id])
                #expect(outcome.status == 1)
                #expect(outcome.errors == "There is no \(scope) \(id).\n")
            }
            let header = try await workspace.run([
                "export", "answers", "--all", "--period", "last-week", "--time-zone", "Asia/Seoul",
            ])
            #expect(header.status == 0)
            #expect(
                header.output
                    == #""meeting_id","submission_id","submitted_at","question","kind","option_id","value""# + "\r\n")
            let emptyPeriod = try await workspace.run([
                "export", "answers", "--all", "--from", "2026-02-02", "--to", "2026-02-02",
            ])
            #expect(emptyPeriod.status == 2 && emptyPeriod.errors == "--to must be later than --from.\n")
            for period in [[], ["--period", "today"], ["--from", "2026-02-02"], ["--to", "2026-02-02T00:00:00Z"]] {
                let zone = try await workspace.run(["export", "answers", "--all", "--time-zone", "X"] + period)
                #expect(zone.status == 2)
                #expect(
                    zone.errors
                        == "--time-zone has the invalid value \"X\"; expected an IANA name, such as Europe/Berlin.\n")
            }
        }
    }

    @Test(arguments: [
        (["everything", "--all"], "The value 'everything' is invalid for '<what>'. Please provide one of"),
        (["summary"], "Choose what to export: --meeting, --series or --all."),
        (["summary", "--all", "--series", "x"], "Choose what to export: --meeting, --series or --all."),
        (["summary", "--meeting", "7"], "--meeting has the invalid value \"7\"; expected an id."),
        (["submissions", "--all"], "Submissions of several series have no common columns: export answers"),
        (
            ["summary", "--all", "--format", "xls"],
            "The value 'xls' is invalid for '--format <format>'. Please provide one of"
        ),
        (["summary", "--all", "--delimiter", "ab"], "--delimiter is \"ab\": The delimiter must be a tab"),
        (
            ["summary", "--all", "--from", "yesterday"],
            "--from has the invalid value \"yesterday\"; expected a date or an instant"
        ),
        (
            ["summary", "--all", "--to", "2026-02-30"],
            "--to has the invalid value \"2026-02-30\"; expected a date or an instant"
        ),
        (["summary", "--all", "--delimiter", "é"], "--delimiter is \"é\": The delimiter must be a tab"),
        (
            ["summary", "--all", "--period", "today", "--to", "2026-02-03"],
            "--period cannot be combined with --from or --to"
        ),
        (["summary", "--all", "--period", "soon"], "The value 'soon' is invalid for '--period <period>'."),
        (["summary", "--all", "--output", ""], "--output is empty: name a file, or leave the option out."),
        (["charts", "--all", "--output", ""], "--output is empty: name a folder."),
        (["summary", "--all", "--output", "/dev/null"], "/dev/null is not a file that can be replaced"),
        (["summary", "--all", "--output", "/tmp"], "/tmp is not a file that can be replaced"),
    ])
    func misuseEndsWithStatus2(arguments: [String], sentence: String) async throws {
        let outcome = try await Program.run(["export"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.sentence.hasPrefix(sentence), "\(outcome.errors)")
        #expect(outcome.output == "")
    }

    @Test func missingFolderIsReportedBeforeTheDatabaseIsUsed() async throws {
        let outcome = try await Program.run([
            "export", "summary", "--all", "--output", "/nowhere/summary.csv", "--database-url", "postgres:///nowhere",
        ])
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.hasPrefix("The file /nowhere/summary.csv cannot be written (No such file or directory): "))
    }
}
