import EmbeddedPostgres
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// `upgrade` from Debian's PostgreSQL to a newer one.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: NewerPostgres.isNewer, "`scripts/setup test` installs PostgreSQL 18 into .venv, beside an older one"))
struct Upgrading {
    private let folder: TemporaryFolder
    private let newer: NewerPostgres
    /// The major version of the system's PostgreSQL, with which the tests create clusters.
    private let older: Int
    private var data: String { folder / "data" }

    init() throws {
        folder = try TemporaryFolder()
        newer = try NewerPostgres()
        let installed = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
        older = try #require(installed.compactMap { Int($0) }.max())
    }

    private func upgrade(_ options: String..., isNewerAvailable: Bool = true) async throws -> Program.Outcome {
        try await Program.run(
            ["upgrade", "--data", data] + options, environment: isNewerAvailable ? newer.environment : [:])
    }

    private func serve() async throws -> RunningService {
        try await RunningService(["--data", data], environment: newer.environment)
    }

    private func major(_ name: String = "postgres") -> Int? {
        Int(folder.read("data/\(name)/PG_VERSION").prefix { $0.isNumber })
    }

    /// The names that an upgrade must not leave behind.
    private var leftovers: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
        return names.filter { $0.hasPrefix("postgres.") && !$0.hasPrefix("postgres.log") }
    }

    private func submit(_ service: RunningService, _ code: String, _ key: String) async throws -> JSONValue? {
        let response = try await service.client.post(
            "/v1/forms/\(code)/submissions", json: #"{"answers": {"pace": 3, "better": "\#(key)"}}"#,
            headers: ["Idempotency-Key": key])
        #expect([200, 201].contains(response.status), "\(response.text)")
        return response.json
    }

    /// Starts a service on the old version, opens a form and returns its code.
    private func makeForm() async throws -> String {
        try await serve().using { service async throws in
            let (code, _) = try await service.openForm(by: service.admin(in: data))
            return code
        }
    }

    @Test func upgradeKeepsDataSessionsAndReplays() async throws {
        var receipts: [String: JSONValue] = [:]
        let (code, meeting, session, results) = try await serve().using { service async throws in
            let admin = try await service.admin(in: data)
            let (code, meeting) = try await service.openForm(by: admin)
            for number in 1...20 {
                let key = "a-key-of-client-\(number)"
                receipts[key] = try await submit(service, code, key)
            }
            let results = try await admin.get("/v1/meetings/\(meeting)/results").expect(200)
            return (code, meeting, admin.authorization, results.json)
        }
        #expect(major() == older)
        let upgraded = try await upgrade()
        #expect(upgraded.status == 0, "\(upgraded.errors)")
        #expect(upgraded.output.contains("from PostgreSQL \(older) (/"), "\(upgraded.output)")
        #expect(upgraded.output.contains("PostgreSQL \(NewerPostgres.major) is in use now: "), "\(upgraded.output)")
        #expect(upgraded.output.contains("submissions: 20, forms: 1, no differences."), "\(upgraded.output)")
        #expect(upgraded.errors.contains("The old cluster is in \(data)/postgres-\(older).old."), "\(upgraded.errors)")
        #expect(
            major() == NewerPostgres.major && major("postgres-\(older).old") == older && leftovers == [], "\(leftovers)"
        )

        try await serve().using { service async throws in
            let host = HTTPTestClient(port: service.port, authorization: session)
            let same = try await host.get("/v1/meetings/\(meeting)/results").expect(200)
            #expect(same.json == results, "\(same.text)")
            for (key, receipt) in receipts { #expect(try await submit(service, code, key) == receipt) }
            _ = try await submit(service, code, "a-key-after-the-upgrade")
            _ = try await service.openForm(by: host)
            let url = try #require(await EmbeddedPostgres.attach(folder: data))
            try await Self.expectServiceUsesItsRole(url)
        }
        let again = try await upgrade()
        #expect(again.status == 0 && again.output.contains("there is nothing to do"), "\(again.errors)")
        let without = try await Program.run(["verify", "--data", data])
        #expect(without.status == 1, "\(without.output)")
        #expect(without.sentence.contains("created by PostgreSQL \(NewerPostgres.major) and only"), "\(without.errors)")
    }

    private static func expectServiceUsesItsRole(_ url: String) async throws {
        try await Connection.with(PostgresConfiguration(url: url, applicationName: "tests")) { connection in
            let users = try await connection.query(
                """
                SELECT DISTINCT usename::text FROM pg_stat_activity
                WHERE application_name = 'afterword' AND backend_type = 'client backend'
                """
            ).map { try $0.decode(String.self) }
            #expect(users == ["afterword_app"])
            let isReadOnly = try await connection.query("SHOW default_transaction_read_only").single()
            #expect(try isReadOnly.decode(String.self) == "off")
        }
    }

    /// An upgrade that is killed at a random moment leaves a cluster that the service can use, and the next upgrade
    /// succeeds.
    @Test func killedUpgradesLeaveAUsableCluster() async throws {
        let code = try await makeForm()
        let moments = ["/postgres.upgrade-dump", "/postgres.upgrading/base", "/postgres.upgrading/postmaster.pid", ""]
        for (number, moment) in moments.enumerated() {
            let process = try ChildProcess(
                [Program.path, "upgrade", "--data", data], environment: Program.environment(newer.environment),
                input: "/dev/null", output: folder / "out", errors: folder / "err")
            try await eventually("the upgrade has begun") {
                access(data + moment, F_OK) == 0 || !process.isRunning
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<400)))
            kill(process.pid, SIGKILL)
            #expect([0, 128 + SIGKILL].contains(await process.status), "\(folder.read("err"))")
            try await serve().using { service async throws in
                for earlier in 0...number { _ = try await submit(service, code, "a-key-of-round-\(earlier)") }
            }
            let verified = try await Program.run(["verify", "--data", data], environment: newer.environment)
            #expect(verified.output.contains(", \(number + 1) submissions"), "\(verified.output)\(verified.errors)")
        }
        #expect(try await upgrade().status == 0)
        #expect(major() == NewerPostgres.major && leftovers == [], "\(leftovers)")
        let verified = try await Program.run(["verify", "--data", data], environment: newer.environment)
        #expect(verified.output.contains(", \(moments.count) submissions"), "\(verified.output)\(verified.errors)")
    }

    @Test func otherCommandsAreRefusedDuringTheUpgrade() async throws {
        _ = try await makeForm()
        let (began, mayContinue) = (folder / "began", folder / "go")
        let wait = "touch '\(began)'; while [ ! -e '\(mayContinue)' ]; do sleep 0.05; done; exec \"$0.real\" \"$@\""
        try newer.replace("pg_dump", by: wait)
        async let upgrading = upgrade()
        try await eventually("the dump has begun") { access(began, F_OK) == 0 }
        for command in [["account", "list"], ["upgrade"], ["serve", "--port", "0"]] {
            let refused = try await Program.run(command + ["--data", data], environment: newer.environment)
            #expect(refused.status == 1 && refused.errors.contains("is in use by process"), "\(refused.errors)")
        }
        _ = try folder.write("", to: "go")
        let upgraded = try await upgrading
        #expect(upgraded.status == 0, "\(upgraded.errors)")
        #expect(try await Program.run(["account", "list", "--data", data], environment: newer.environment).status == 0)
    }

    /// Each of the programs fails as it does on a full disk.
    @Test(arguments: ["pg_dump", "initdb", "pg_restore"])
    func failureLeavesTheOldClusterAndNothingElse(program: String) async throws {
        let code = try await makeForm()
        let fill = "for word; do case $word in --pgdata=*) touch \"${word#--pgdata=}/part\" ;; esac; done"
        try newer.replace(program, by: "\(fill); echo '\(program): error: No space left on device' >&2; exit 1")
        let failed = try await upgrade()
        #expect(failed.status == 1, "\(failed.output)")
        #expect(failed.sentence.hasSuffix("failed: \(program): error: No space left on device"), "\(failed.errors)")
        #expect(major() == older && leftovers == [], "\(leftovers)")
        try await serve().using { service async throws in
            _ = try await submit(service, code, "a-key-after-the-failure")
        }
    }

    @Test func wrongCountsStopTheUpgrade() async throws {
        try await serve().using { service async throws in
            let (code, _) = try await service.openForm(by: service.admin(in: data))
            _ = try await submit(service, code, "a-key-of-one-client")
            let url = try #require(await EmbeddedPostgres.attach(folder: data))
            try await Connection.with(PostgresConfiguration(url: url)) { connection in
                try await connection.script("UPDATE tally SET count = count + 1 WHERE question = 'pace'")
            }
        }
        let refused = try await upgrade()
        #expect(refused.status == 1 && refused.sentence.contains("the old cluster stays in use"), "\(refused.errors)")
        #expect(major() == older && leftovers == [], "\(leftovers)")
        #expect(try await Program.run(["verify", "--repair", "--data", data]).status == 3)
        let upgraded = try await upgrade()
        #expect(upgraded.status == 0, "\(upgraded.errors)")
    }

    @Test func otherDatabasesOfTheClusterStopTheUpgrade() async throws {
        try await serve().using { _ in
            let url = try #require(await EmbeddedPostgres.attach(folder: data))
            try await Connection.with(PostgresConfiguration(url: url)) { connection in
                try await connection.script("CREATE DATABASE notes")
            }
        }
        let refused = try await upgrade()
        #expect(refused.status == 1 && refused.sentence.contains("would not be carried over (notes)"))
        #expect(major() == older && leftovers == [], "\(leftovers)")
    }

    /// A cluster whose first start was interrupted before its migrations.
    @Test func emptyDatabaseIsUpgraded() async throws {
        let cluster = EmbeddedPostgres(folder: data, logger: TestStore.silentLogger)
        _ = try await cluster.start()
        await cluster.stop()
        let upgraded = try await upgrade()
        #expect(upgraded.status == 0 && upgraded.output.contains("is in use now: 0 rows."), "\(upgraded.errors)")
        try await serve().using { service async throws in
            _ = try await service.openForm(by: service.admin(in: data))
        }
    }

    @Test func mistakesAreExplainedAndChangeNothing() async throws {
        let missing = try await upgrade()
        #expect(missing.status == 1 && missing.sentence.hasPrefix("There is no data folder at"), "\(missing.errors)")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        let empty = try await upgrade()
        #expect(empty.status == 1 && empty.sentence.contains("holds no database"), "\(empty.errors)")
        let named = try await upgrade("--database-url", "postgres://user@127.0.0.1/name")
        #expect(named.status == 2 && named.sentence.contains("only a private one is carried over"), "\(named.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: data) == [])
        try FileManager.default.removeItem(atPath: data)
        try await serve().using { _ in
            let running = try await upgrade()
            #expect(running.status == 1 && running.sentence.contains("is in use by process"), "\(running.errors)")
        }
        let newest = try await upgrade(isNewerAvailable: false)
        #expect(newest.status == 0 && newest.output.contains("belongs to PostgreSQL \(older), and no newer"))
        try FileManager.default.moveItem(atPath: data + "/secret", toPath: folder / "moved")
        let lost = try await upgrade()
        #expect(lost.status == 1 && lost.sentence.contains("is missing, but this database was used with one"))
        #expect(major() == older && leftovers == [], "\(leftovers)")
    }
}
