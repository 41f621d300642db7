import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import afterword

/// Commands on a database given by its URL.
@Suite struct CommandsOnADatabase {
    /// A database and a folder for the secret file, with commands that use both.
    private struct Installation {
        let database: TestDatabase
        let folder: TemporaryFolder

        init(migrated: Bool = true) async throws {
            database = try await TestCluster.database()
            folder = try TemporaryFolder()
            if migrated { try await Migrator().migrate(url: database.url) }
        }

        func run(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
            try await Program.run(
                arguments + ["--data", folder / "data"], environment: ["AFTERWORD_DATABASE_URL": database.url],
                input: input)
        }

        func accounts() async throws -> [JSONValue] {
            let outcome = try await run("account", "list", "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try JSONValue.parse(Array(outcome.output.utf8.dropLast()))["items"]?.array ?? []
        }
    }

    @Test func migrateShowsAndRunsPendingMigrations() async throws {
        let installation = try await Installation(migrated: false)
        let before = try await installation.run("migrate", "--status")
        #expect(before.status == 0)
        #expect(before.output.contains("roles"))
        #expect(before.output.split(separator: "\n").allSatisfy { $0.hasSuffix("pending") })
        let refused = try await installation.run("account", "list")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("run `afterword migrate`"))
        let ran = try await installation.run("migrate")
        #expect(ran.output.hasPrefix("Ran 1 (roles), 2 (accounts)"), "\(ran.errors)")
        let again = try await installation.run("migrate")
        #expect(again.output.hasPrefix("Nothing to do: all "))
        let after = try JSONValue.parse(
            Array(try await installation.run("migrate", "--status", "--json").output.utf8.dropLast()))
        let migrations = after["migrations"]?.array ?? []
        #expect(!migrations.isEmpty && migrations.allSatisfy { $0["appliedAt"]?.string != nil })
        let functions = after["functions"]?.array ?? []
        #expect(!functions.isEmpty && functions.allSatisfy { $0["state"]?.string == "current" })
        try await installation.database.drop()
    }

    @Test func seriesAreListedWithTheIDsOfExports() async throws {
        let installation = try await Installation()
        #expect(try await installation.run("series", "list").errors == "There are no series yet.\n")
        #expect(try await installation.run("demo").status == 0)
        let outcome = try await installation.run("series", "list", "--json")
        let items = try JSONValue.parse(Array(outcome.output.utf8.dropLast()))["items"]?.array ?? []
        let first = try #require(items.first)
        let (series, meeting) = (first["id"]?.string ?? "", first["latestId"]?.string ?? "")
        #expect(try await installation.run("export", "summary", "--series", series).output.contains(meeting))
        #expect(try await installation.run("export", "summary", "--meeting", meeting).status == 0)
        let text = try await installation.run("series", "list").output
        let lines = text.split(separator: "\n")
        #expect(lines.count == items.count + 1 && text.contains(first["title"]?.string ?? "-"))
        #expect(lines.first?.split(separator: " ").first == "SERIES", "the columns have no names")
        try await installation.database.drop()
    }

    @Test func demoFillsOnlyAnEmptyDatabase() async throws {
        let installation = try await Installation()
        let unknown = try await installation.run("demo", "--host-email", "nobody@example.org")
        #expect(unknown.status == 1 && unknown.sentence.contains("no account nobody@example.org"))
        let nonsense = try await installation.run("demo", "--host-email", "nobody")
        #expect(nonsense.status == 2 && nonsense.sentence.contains("expected an e-mail address"))
        let created = try await installation.run("demo", "--json")
        #expect(created.status == 0, "\(created.errors)")
        let report = try JSONValue.parse(Array(created.output.utf8.dropLast()))
        #expect(report["meetings"]?.int == 104 && report["host"]?.string == "admin@localhost")
        let verified = try await installation.run("verify")
        #expect(verified.status == 0 && verified.output.contains("no differences"), "\(verified.output)")
        let again = try await installation.run("demo")
        #expect(again.status == 1 && again.sentence.contains("already contains meetings"), "\(again.errors)")
        try await installation.database.drop()
    }

    @Test func functionsOfAnotherVersionAreReportedAndReinstalled() async throws {
        let installation = try await Installation()
        let connection = try await Connection.connect(PostgresConfiguration(url: installation.database.url))
        try await connection.execute("UPDATE schema_function SET checksum = 'x' WHERE name = 'ingest'")
        let refused = try await installation.run("account", "list")
        #expect(
            refused.status == 1
                && refused.errors.contains("has outdated versions of 1 functions: run `afterword migrate`")
        )
        let doctor = try await installation.run("doctor")
        #expect(
            doctor.status == 1
                && doctor.output.contains("Functions of another version: ingest: run `afterword migrate`"))
        let status = try await installation.run("migrate", "--status")
        #expect(status.output.split(separator: "\n").contains { $0.contains("ingest") && $0.hasSuffix("pending") })
        let ran = try await installation.run("migrate")
        #expect(ran.status == 0 && ran.output == "Installed the functions ingest.\n", "\(ran.output)\(ran.errors)")
        #expect(try await installation.run("account", "list").status == 0)
        await connection.close()
        try await installation.database.drop()
    }

    @Test func functionEditedByHandIsReportedAndReinstalled() async throws {
        let installation = try await Installation()
        let connection = try await Connection.connect(PostgresConfiguration(url: installation.database.url))
        try await connection.script("ALTER FUNCTION form_state_at SET search_path = public")
        let doctor = try await installation.run("doctor")
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("The function form_state_at was edited in the database: `afterword migrate`"))
        #expect(try await installation.run("account", "list").status == 0)
        let ran = try await installation.run("migrate")
        #expect(
            ran.status == 0 && ran.output == "Installed the functions form_state_at.\n", "\(ran.output)\(ran.errors)")
        #expect(!(try await installation.run("doctor").output.contains("form_state_at")))
        await connection.close()
        try await installation.database.drop()
    }

    @Test func databaseFromBeforeTheFirstReleaseIsRefused() async throws {
        let installation = try await Installation()
        let connection = try await Connection.connect(PostgresConfiguration(url: installation.database.url))
        try await connection.execute("UPDATE schema_migration SET name = 'people' WHERE number = 2")
        for command in [
            ["serve", "--port", "0"], ["migrate"], ["migrate", "--status"], ["account", "list"], ["verify"],
        ] {
            let outcome = try await Program.run(
                command + ["--data", installation.folder / "data"],
                environment: ["AFTERWORD_DATABASE_URL": installation.database.url])
            #expect(outcome.status == 1, "\(command)")
            #expect(outcome.sentence.contains("a version before the first release"), "\(command): \(outcome.errors)")
        }
        await connection.close()
        try await installation.database.drop()
    }

    @Test func databaseOfANewerProgramIsNotChanged() async throws {
        let installation = try await Installation()
        let pool = Pool(PostgresConfiguration(url: installation.database.url), size: 1)
        try await pool.execute(
            "INSERT INTO schema_migration (number, name, checksum) VALUES (9999, 'future', \([UInt8(1)]))")
        await pool.close()
        let outcome = try await installation.run("migrate")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("9999 (future)"))
        try await installation.database.drop()
    }

    @Test func accountIsCreatedListedAndDisabled() async throws {
        let installation = try await Installation()
        let created = try await installation.run(
            "account", "create", "--email", "Ann@example.org", "--name", "Ann", "--role", "host", "--password-stdin",
            input: "a long password\n")
        #expect(created.status == 0, "\(created.errors)")
        #expect(created.output == "Created the host Ann@example.org.\n")
        let twice = try await installation.run(
            "account", "create", "--email", "ann@EXAMPLE.org", "--name", "Ann", "--role", "admin", "--password-stdin",
            input: "a long password\n")
        #expect(twice.status == 1)
        #expect(twice.errors.hasPrefix("The account ann@EXAMPLE.org exists already"))
        var accounts = try await installation.accounts()
        #expect(accounts.map { $0["email"]?.string } == ["Ann@example.org"])
        #expect(accounts.first?["disabledAt"]?.isNull == true)

        #expect(try await installation.run("account", "disable", "--email", "ann@example.org").status == 0)
        accounts = try await installation.accounts()
        #expect(accounts.first?["disabledAt"]?.string != nil)
        let pool = Pool(PostgresConfiguration(url: installation.database.url), size: 1)
        let actions = try await pool.query(
            "SELECT act FROM audit WHERE account_id = subject_id AND detail->>'by' = 'terminal' ORDER BY at")
        let names = try actions.map { row -> String in try row.decode(String.self) }
        #expect(names == ["account.create", "account.disable"])
        await pool.close()
        let unknown = try await installation.run("account", "disable", "--email", "bob@example.org")
        #expect(unknown.status == 1)
        #expect(unknown.errors.hasPrefix("There is no account bob@example.org"))
        try await installation.database.drop()
    }

    @Test(arguments: [
        ("", "--password-stdin"), ("nine char\n", "At least 10 characters are needed."),
        (String(repeating: "x", count: 1025) + "\n", "At most 1024 bytes are allowed."),
        ("          \n", "Spaces alone are not enough."), ("Password12\n", "one of the most common passwords"),
        ("Ann.Smith!2026\n", "your own address"),
    ])
    func weakPasswordsAreRefused(input: String, sentence: String) async throws {
        for command in [["create", "--name", "A", "--role", "host"], ["reset-password"]] {
            let outcome = try await Program.run(
                ["account"] + command
                    + ["--email", "ann.smith@example.org", "--password-stdin", "--data", "/nonexistent"],
                input: input)
            #expect(outcome.status == 2 && outcome.errors.contains(sentence), "\(command): \(outcome.errors)")
        }
    }

    @Test(arguments: ["", "   ", "x\r\nBcc: e@x.y", "\u{1b}[31mred"])
    func invalidNameIsRefused(name: String) async throws {
        let outcome = try await Program.run(
            [
                "account", "create", "--email", "a@example.org", "--name", name, "--role", "host", "--password-stdin",
            ], input: "a long password\n")
        #expect(
            outcome.status == 2 && outcome.errors.contains("--name must have 1 to 200 characters"), "\(outcome.errors)")
    }

    @Test func resetPasswordReplacesTheOldOne() async throws {
        let installation = try await Installation()
        for command in [["create", "--name", "Ann", "--role", "host"], ["reset-password"]] {
            let outcome = try await Program.run(
                ["account"] + command
                    + ["--email", "ann@example.org", "--password-stdin", "--data", installation.folder / "data"],
                environment: ["AFTERWORD_DATABASE_URL": installation.database.url], input: "password of \(command[0])\n"
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try await RunningService(
            ["--database-url", installation.database.url, "--data", installation.folder / "data"]
        ).using { service async throws in
            let old = #"{"email": "ann@example.org", "password": "password of create"}"#
            #expect(try await service.client.post("/v1/sessions", json: old).status == 401)
            let new = #"{"email": "ann@example.org", "password": "password of reset-password"}"#
            #expect(try await service.client.post("/v1/sessions", json: new).status == 201)
        }
        try await installation.database.drop()
    }

    @Test func secretFileThatOthersCanReadIsRefusedUntilItIsPrivate() async throws {
        let installation = try await Installation()
        let secret = installation.folder / "data/secret"
        #expect(try await installation.run("account", "list").status == 0)
        for mode: mode_t in [0o644, 0o640, 0o604] {
            chmod(secret, mode)
            for command in [["account", "list"], ["verify"], ["serve", "--port", "0"]] {
                let refused = try await Program.run(
                    command + ["--data", installation.folder / "data", "--database-url", installation.database.url])
                #expect(refused.status == 1, "\(command)")
                #expect(
                    refused.errors.contains("has mode \(String(mode, radix: 8))")
                        && refused.errors.contains("run `chmod 600 \(secret)`"), "\(refused.errors)")
            }
        }
        chmod(secret, 0o600)
        #expect(try await installation.run("account", "list").status == 0)
        try await installation.database.drop()
    }

    /// A secret file that is mounted into a container often belongs to another user. The service cannot change its mode.
    @Test func readableSecretFileOfAnotherUserIsLogged() async throws {
        let folder = try TemporaryFolder()
        let secret = try folder.write("1 key\n", to: "secret")
        chmod(secret, 0o444)
        let foreign = try #require(SecretFileExposure(secret, user: geteuid() + 1))
        #expect(!foreign.isOwn && foreign.sentence.contains("has mode 444 and belongs to another user"))
        #expect(try #require(SecretFileExposure(secret)).isOwn)
        chmod(secret, 0o400)
        #expect(SecretFileExposure(secret) == nil && SecretFileExposure(folder / "none") == nil)

        // Only root can give the file to another user.
        guard getuid() == 0 else { return }
        let installation = try await Installation()
        #expect(try await installation.run("account", "list").status == 0)
        let mounted = installation.folder / "data/secret"
        chmod(mounted, 0o444)
        #expect(chown(mounted, 65_534, 65_534) == 0)
        let listed = try await installation.run("account", "list", "--log-level", "warning")
        #expect(listed.status == 0 && listed.errors.contains("belongs to another user"), "\(listed.errors)")
        #expect(!(try await installation.run("account", "list").errors.contains("another user")))
        try await installation.database.drop()
    }

    @Test func anotherSecretFileIsRefusedWithAnExplanation() async throws {
        let installation = try await Installation()
        #expect(try await installation.run("account", "list").status == 0)
        let other = try await Program.run([
            "account", "list", "--database-url", installation.database.url, "--data", installation.folder / "other",
        ])
        #expect(other.status == 1)
        #expect(other.errors.contains("this database was used with one"))
        let keys = try KeyRing.loadOrCreate(path: installation.folder / "fresh")
        #expect(keys.numbers == [1])
        let wrong = try await Program.run([
            "serve", "--port", "0", "--database-url", installation.database.url, "--data", installation.folder / "data",
            "--secret-file", installation.folder / "fresh",
        ])
        #expect(wrong.status == 1)
        #expect(wrong.errors.hasPrefix("Key 1 of the secret file is not the key with which this database was created."))
        try await installation.database.drop()
    }
}
