import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

/// Tables that are larger than the memory limit of the program.
@Suite(.timeLimit(.minutes(15))) struct LargeExports {
    /// The maximum memory of the process (VmHWM), without the database.
    private static let memory = 64 << 20
    private static let rows = 90_000
    /// Enough rows for the export to run for a while.
    private static let some = 15_000

    /// Runs `body` with a meeting that has many answers of a kilobyte each.
    private func filled(_ rows: Int, _ body: (Workplace, Pool) async throws -> Void) async throws {
        try await Workplace.using { place in
            let csv = "pace,why\n4,first\n"
            let map = """
                {"questions": [{"column": "pace", "key": "pace", "kind": "rating", "title": "Pace"},
                 {"column": "why", "key": "why", "kind": "text", "title": "Why", "maxLength": 2000}]}
                """
            let brought = try await place.bring(
                place.folder.write(csv, to: "in.csv"), map: place.folder.write(map, to: "in.json"))
            #expect(brought.status == 0, "\(brought.errors)")
            let pool = Pool(PostgresConfiguration(url: place.database.url), size: 1)
            try await pool.execute(
                """
                INSERT INTO submission (form_id, id, version, answers, submitted_on, submitted_at)
                SELECT s.form_id, gen_random_uuid(), s.version,
                    jsonb_build_object('pace', n % 5 + 1, 'why', repeat('Größe "x", ', 80) || n), s.submitted_on,
                    s.submitted_at
                FROM submission s, generate_series(2, \(rows)::int) n
                """)
            try await body(place, pool)
            await pool.close()
        }
    }

    /// The peak memory of the program, as measured by the system.
    private func peak(_ place: Workplace, _ arguments: [String], to file: String) async throws -> (
        kilobytes: Int, status: Int
    ) {
        let script = """
            import resource, subprocess, sys
            with open(sys.argv[1], "wb") as file:
                status = subprocess.run(sys.argv[2:], stdout=file, stderr=subprocess.DEVNULL).returncode
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, status)
            """
        let outcome = try await Program.run(
            ["-c", script, file, Program.path] + arguments + place.options, environment: place.environment,
            program: "/usr/bin/python3")
        let numbers = outcome.output.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
        return (numbers.first ?? .max, numbers.last ?? -1)
    }

    @Test func memoryDoesNotGrowWithTheTableAndNoRowIsMissing() async throws {
        try await filled(Self.rows) { place, _ in
            let meetings = try await place.run(["export", "meetings", "--all", "--format", "ndjson"]).output
            let id = try #require(try JSONValue.parse(Array(meetings.utf8.dropLast()))["meeting_id"]?.string)
            for (what, rows) in [("submissions", Self.rows), ("answers", 2 * Self.rows)] {
                let file = place.folder / "table.csv"
                let (kilobytes, status) = try await peak(place, ["export", what, "--meeting", id], to: file)
                #expect(status == 0)
                #expect(kilobytes << 10 <= Self.memory, "\(what): \(kilobytes) KiB")
                let table = try Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped)
                #expect(table.count > Self.memory, "\(what): \(table.count) bytes")
                #expect(table.suffix(2).elementsEqual([0x0D, 0x0A]))
                #expect(Self.lines(table) == rows + 1, "\(what)")
            }
        }
    }

    /// Many forms with many options, far more than the results of one form.
    @Test(arguments: ["csv", "xlsx"]) func memoryDoesNotGrowWithTheFormsOfASummary(format: String) async throws {
        try await Workplace.using { place in
            let (meetings, options) = (100, 2_000)
            let rows = (1...meetings).map { "\($0),4" }.joined(separator: "\n")
            let map = """
                {"meeting": {"by": "meeting", "title": "Meeting {meeting}"},
                 "questions": [{"column": "pace", "key": "pace", "kind": "rating", "title": "Pace"}]}
                """
            let brought = try await place.bring(
                place.folder.write("meeting,pace\n\(rows)\n", to: "in.csv"),
                map: place.folder.write(map, to: "in.json"))
            #expect(brought.status == 0, "\(brought.errors)")
            let pool = Pool(PostgresConfiguration(url: place.database.url), size: 1)
            // Forty choices of fifty options in each form, as an edit would add them.
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
            let file = place.folder / "table"
            let (kilobytes, status) = try await peak(
                place, ["export", "summary", "--all", "--format", format], to: file)
            #expect(status == 0)
            #expect(kilobytes << 10 <= Self.memory + 16 << 20, "\(kilobytes) KiB")
            let table = try Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped)
            if format == "csv" { #expect(Self.lines(table) == meetings * (options + 5) + 1) }
            #expect(table.count > 1 << 20)
        }
    }

    private static func lines(_ table: Data) -> Int {
        table.withUnsafeBytes { bytes in
            guard var place = bytes.baseAddress else { return 0 }
            let end = place + bytes.count
            var lines = 0
            while let found = memchr(place, 0x0A, end - place) {
                lines += 1
                place = UnsafeRawPointer(found) + 1
            }
            return lines
        }
    }

    /// Waits until the unnamed draft of `table.csv` has content.
    private func draft(of process: ChildProcess, _ place: Workplace) async throws {
        let open = "/proc/\(process.pid)/fd"
        while process.isRunning {
            for descriptor in (try? FileManager.default.contentsOfDirectory(atPath: open)) ?? [] {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(open)/\(descriptor)")
                guard let target, target.hasPrefix(place.folder.path), target.hasSuffix(" (deleted)") else { continue }
                let size = try? FileHandle(forReadingAtPath: "\(open)/\(descriptor)")?.seekToEnd()
                if (size ?? 0) > 0 { return }
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw TestStore.Missing("a draft: \(place.folder.read("err"))")
    }

    private func files(_ place: Workplace) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: place.folder.path))
    }

    private func start(_ place: Workplace) throws -> ChildProcess {
        try ChildProcess(
            [Program.path, "export", "answers", "--all", "--output", place.folder / "table.csv"] + place.options,
            environment: Program.environment(place.environment), input: "/dev/null", output: place.folder / "out",
            errors: place.folder / "err")
    }

    @Test func killDuringTheExportLeavesTheOldFile() async throws {
        try await filled(Self.some) { place, _ in
            let file = try place.folder.write("old", to: "table.csv")
            let before = try files(place)
            let process = try start(place)
            try await draft(of: process, place)
            kill(process.pid, SIGKILL)
            #expect(await process.status == 128 + SIGKILL)
            #expect(place.folder.read("table.csv") == "old")
            #expect(try files(place) == before.union(["out", "err"]), "nothing of it is left")
            #expect(try await place.run(["export", "answers", "--all", "--output", file]).status == 0)
            #expect(place.folder.read("table.csv").hasPrefix("\"meeting_id\","))
        }
    }

    @Test func lostDatabaseIsReportedAsAFailure() async throws {
        try await filled(Self.some) { place, pool in
            _ = try place.folder.write("old", to: "table.csv")
            let before = try files(place)
            let process = try start(place)
            try await draft(of: process, place)
            try await pool.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            #expect(await process.status == 1)
            #expect(place.folder.read("table.csv") == "old")
            #expect(try files(place) == before.union(["out", "err"]))
            #expect(!place.folder.read("err").isEmpty && place.folder.read("out").isEmpty)
        }
    }
}
