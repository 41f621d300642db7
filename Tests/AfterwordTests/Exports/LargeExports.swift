import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

/// Exports of large tables: their memory, and what an interrupted export leaves behind.
@Suite(.timeLimit(.minutes(15))) struct LargeExports {
    /// The limit of the program's peak memory in bytes. The database is another process.
    private static let maxMemoryBytes = 64 << 20
    private static let rows = 90_000
    /// Enough rows for the export to run for a while.
    private static let rowsOfASlowExport = 15_000

    /// Runs `body` with a meeting that has many answers of a kilobyte each.
    private func withFilledMeeting(_ rows: Int, _ body: (Workspace, Pool) async throws -> Void) async throws {
        try await Workspace.using { workspace in
            let csv = "pace,why\n4,first\n"
            let map = """
                {"questions": [{"column": "pace", "key": "pace", "kind": "rating", "title": "Pace"},
                 {"column": "why", "key": "why", "kind": "text", "title": "Why", "maxLength": 2000}]}
                """
            let imported = try await workspace.importFile(
                workspace.folder.write(csv, to: "in.csv"), map: workspace.folder.write(map, to: "in.json"))
            #expect(imported.status == 0, "\(imported.errors)")
            let pool = Pool(PostgresConfiguration(url: workspace.database.url), size: 1)
            try await pool.execute(
                """
                INSERT INTO submission (form_id, id, version, answers, submitted_on, submitted_at)
                SELECT s.form_id, md5(s.id::text || n)::uuid, s.version,
                    jsonb_build_object('pace', n % 5 + 1, 'why', repeat('Größe "x", ', 80) || n), s.submitted_on,
                    s.submitted_at
                FROM submission s, generate_series(2, \(rows)::int) n
                """)
            try await body(workspace, pool)
            await pool.close()
        }
    }

    /// Runs the program. Returns its peak memory, as measured by the system, and its exit status.
    private func runMeasuringMemory(_ workspace: Workspace, _ arguments: [String], to file: String) async throws -> (
        kilobytes: Int, status: Int
    ) {
        let script = """
            import resource, subprocess, sys
            with open(sys.argv[1], "wb") as file:
                status = subprocess.run(sys.argv[2:], stdout=file, stderr=subprocess.DEVNULL).returncode
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, status)
            """
        let outcome = try await Program.run(
            ["-c", script, file, Program.path] + arguments + workspace.options, environment: workspace.environment,
            program: "/usr/bin/python3")
        let numbers = outcome.output.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
        return (numbers.first ?? .max, numbers.last ?? -1)
    }

    @Test func memoryDoesNotGrowWithTheTableAndNoRowIsMissing() async throws {
        try await withFilledMeeting(Self.rows) { workspace, _ in
            let meetings = try await workspace.run(["export", "meetings", "--all", "--format", "ndjson"]).output
            let id = try #require(try JSONValue.parse(Array(meetings.utf8.dropLast()))["meeting_id"]?.string)
            for (kind, rows) in [("submissions", Self.rows), ("answers", 2 * Self.rows)] {
                let file = workspace.folder / "table.csv"
                let (kilobytes, status) = try await runMeasuringMemory(
                    workspace, ["export", kind, "--meeting", id], to: file)
                #expect(status == 0)
                #expect(kilobytes << 10 <= Self.maxMemoryBytes, "\(kind): \(kilobytes) KiB")
                let table = try Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped)
                #expect(table.count > Self.maxMemoryBytes, "\(kind): \(table.count) bytes")
                #expect(table.suffix(2).elementsEqual([0x0D, 0x0A]))
                #expect(Self.lineCount(of: table) == rows + 1, "\(kind)")
            }
        }
    }

    /// The summary of many forms with many options is much larger than the results of one form.
    @Test(arguments: ["csv", "xlsx"]) func memoryDoesNotGrowWithTheNumberOfForms(format: String) async throws {
        try await Workspace.using { workspace in
            let (meetings, options) = (100, 2_000)
            let rows = (1...meetings).map { "\($0),4" }.joined(separator: "\n")
            let map = """
                {"meeting": {"by": "meeting", "title": "Meeting {meeting}"},
                 "questions": [{"column": "pace", "key": "pace", "kind": "rating", "title": "Pace"}]}
                """
            let imported = try await workspace.importFile(
                workspace.folder.write("meeting,pace\n\(rows)\n", to: "in.csv"),
                map: workspace.folder.write(map, to: "in.json"))
            #expect(imported.status == 0, "\(imported.errors)")
            let pool = Pool(PostgresConfiguration(url: workspace.database.url), size: 1)
            // Adds forty choices of fifty options to each form, as an edit would.
            try await pool.execute(
                """
                INSERT INTO question (form_id, key, position, definition, first_version, last_version)
                SELECT f.id, 'k' || q, q, jsonb_build_object('key', 'k' || q, 'kind', 'choice', 'title', 'Choice ' || q,
                    'required', false, 'multiple', false, 'other', false, 'options',
                    (SELECT jsonb_agg(jsonb_build_object('id', 'o' || o, 'label', 'An option of some length, ' || o))
                     FROM generate_series(1, 50) o)), 1, 1
                FROM form f, generate_series(1, \(options / 50)::int) q
                """)
            await pool.close()
            let file = workspace.folder / "table"
            let (kilobytes, status) = try await runMeasuringMemory(
                workspace, ["export", "summary", "--all", "--format", format], to: file)
            #expect(status == 0)
            #expect(kilobytes << 10 <= Self.maxMemoryBytes + 16 << 20, "\(kilobytes) KiB")
            let table = try Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped)
            if format == "csv" { #expect(Self.lineCount(of: table) == meetings * (options + 5) + 1) }
            #expect(table.count > 1 << 20)
        }
    }

    private static func lineCount(of table: Data) -> Int {
        table.withUnsafeBytes { bytes in
            guard var position = bytes.baseAddress else { return 0 }
            let end = position + bytes.count
            var lines = 0
            while let found = memchr(position, 0x0A, end - position) {
                lines += 1
                position = UnsafeRawPointer(found) + 1
            }
            return lines
        }
    }

    /// Waits until the unnamed draft of `table.csv` has content.
    private func waitForDraft(of process: ChildProcess, _ workspace: Workspace) async throws {
        let descriptors = "/proc/\(process.pid)/fd"
        while process.isRunning {
            for descriptor in (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? [] {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(descriptor)")
                guard let target, target.hasPrefix(workspace.folder.path), target.hasSuffix(" (deleted)") else {
                    continue
                }
                let size = try? FileHandle(forReadingAtPath: "\(descriptors)/\(descriptor)")?.seekToEnd()
                if (size ?? 0) > 0 { return }
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw TestStore.Missing("a draft: \(workspace.folder.read("err"))")
    }

    private func files(_ workspace: Workspace) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: workspace.folder.path))
    }

    private func start(_ workspace: Workspace) throws -> ChildProcess {
        try ChildProcess(
            [Program.path, "export", "answers", "--all", "--output", workspace.folder / "table.csv"]
                + workspace.options,
            environment: Program.environment(workspace.environment), input: "/dev/null",
            output: workspace.folder / "out",
            errors: workspace.folder / "err")
    }

    @Test func killDuringTheExportLeavesTheOldFile() async throws {
        try await withFilledMeeting(Self.rowsOfASlowExport) { workspace, _ in
            let file = try workspace.folder.write("old", to: "table.csv")
            let before = try files(workspace)
            let process = try start(workspace)
            try await waitForDraft(of: process, workspace)
            kill(process.pid, SIGKILL)
            #expect(await process.status == 128 + SIGKILL)
            #expect(workspace.folder.read("table.csv") == "old")
            #expect(try files(workspace) == before.union(["out", "err"]), "no draft remains")
            #expect(try await workspace.run(["export", "answers", "--all", "--output", file]).status == 0)
            #expect(workspace.folder.read("table.csv").hasPrefix("\"meeting_id\","))
        }
    }

    @Test func lostDatabaseIsReportedAsAFailure() async throws {
        try await withFilledMeeting(Self.rowsOfASlowExport) { workspace, pool in
            _ = try workspace.folder.write("old", to: "table.csv")
            let before = try files(workspace)
            let process = try start(workspace)
            try await waitForDraft(of: process, workspace)
            try await pool.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            #expect(await process.status == 1)
            #expect(workspace.folder.read("table.csv") == "old")
            #expect(try files(workspace) == before.union(["out", "err"]))
            #expect(!workspace.folder.read("err").isEmpty && workspace.folder.read("out").isEmpty)
        }
    }
}
