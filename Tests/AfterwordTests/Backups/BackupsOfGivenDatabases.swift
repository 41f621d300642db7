import Cryptography
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// `backup` and `restore` with `--database-url`.
@Suite(.timeLimit(.minutes(10))) struct BackupsOfGivenDatabases {
    private func run(_ arguments: String..., url: String, in folder: TemporaryFolder) async throws -> Program.Outcome {
        try await Program.run(
            arguments + ["--data", folder / "data"], environment: ["AFTERWORD_DATABASE_URL": url])
    }

    @Test func restoredDatabaseHasTheSameRowsOwnersAndRights() async throws {
        let folder = try TemporaryFolder()
        let (source, target) = (try await TestStore.database(), try await TestCluster.database())
        let filled = try await run("demo", "--json", url: source.url, in: folder)
        try #require(filled.status == 0, "\(filled.errors)")
        let made = try await run("backup", "--to", folder / "backups", "--json", url: source.url, in: folder)
        try #require(made.status == 0, "\(made.errors)")
        let path = try #require(try JSONValue.parse(made.output)["path"]?.string)
        let restored = try await run("restore", path, url: target.url, in: folder)
        #expect(restored.status == 0 && restored.output.contains("no differences"), "\(restored.errors)")
        #expect(try await Self.description(source.url) == Self.description(target.url))
        let again = try await run("restore", path, url: target.url, in: folder)
        #expect(again.status == 1 && again.sentence.contains("is not empty"), "\(again.errors)")
        try await source.drop()
        try await target.drop()
    }

    /// The owner and the rights of each table, with a digest of its rows. `last_backup` has no digest.
    private static func description(_ url: String) async throws -> [String] {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            let tables = try await connection.query(
                """
                SELECT relname::text, relowner::regrole::text, relacl::text FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname
                """
            ).map { try $0.decode(String.self, String.self, String?.self) }
            var lines: [String] = []
            for (name, owner, rights) in tables {
                let digest =
                    name == "last_backup"
                    ? nil
                    : try await connection.query(
                        "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM \(identifier: name) AS t"
                    ).single().decode(String?.self)
                lines.append("\(name) \(owner) \(rights ?? "") \(digest ?? "")")
            }
            return lines
        }
    }

    @Test func emptyDatabaseIsNotBackedUp() async throws {
        let folder = try TemporaryFolder()
        let database = try await TestCluster.database()
        let outcome = try await run("backup", "--to", folder / "backups", url: database.url, in: folder)
        #expect(outcome.status == 1 && outcome.sentence == "The database is empty: there is nothing to back up.")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder / "backups") == [])
        try await database.drop()
    }

    /// Before a service has used a database, no key belongs to it, so no key can authenticate its backup.
    @Test func databaseThatNoServiceHasUsedIsRestoredWithTrust() async throws {
        let folder = try TemporaryFolder()
        let (source, target) = (try await TestCluster.database(), try await TestCluster.database())
        try FileManager.default.createDirectory(atPath: folder / "data", withIntermediateDirectories: false)
        let secret = try folder.write("1 \(Base64URL.encode(RandomBytes.make(32)))\n", to: "data/secret")
        chmod(secret, 0o600)
        try await Migrator().migrate(url: source.url)
        let made = try await run("backup", "--to", folder / "backups", "--json", url: source.url, in: folder)
        try #require(made.status == 0, "\(made.errors)")
        let path = try #require(try JSONValue.parse(made.output)["path"]?.string)
        let refused = try await run("restore", path, url: target.url, in: folder)
        #expect(refused.status == 1 && refused.sentence.contains("--trust"), "\(refused.errors)")
        let restored = try await run("restore", path, "--trust", url: target.url, in: folder)
        #expect(restored.status == 0 && restored.output.contains("no differences"), "\(restored.errors)")
        try await source.drop()
        try await target.drop()
    }

    /// Submissions continue while the backup is made. The manifest's counts and the dump must show the same moment.
    @Test func backupUnderLoadIsConsistent() async throws {
        let folder = try TemporaryFolder()
        let (source, target) = (try await TestStore.database(), try await TestCluster.database())
        try await RunningService(["--data", folder / "data", "--database-url", source.url]).using {
            service async throws in
            let (code, _) = try await service.openForm(by: service.admin(in: folder / "data"))
            let load = Task {
                while !Task.isCancelled {
                    _ = try? await service.client.post(
                        "/v1/forms/\(code)/submissions", json: #"{"answers": {"pace": 3, "better": "more"}}"#)
                }
            }
            for _ in 1...3 {
                let made = try await run("backup", "--to", folder / "backups", "--json", url: source.url, in: folder)
                #expect(made.status == 0, "\(made.errors)")
            }
            load.cancel()
            await load.value
        }
        let newest = try FileManager.default.contentsOfDirectory(atPath: folder / "backups").max()
        let restored = try await run("restore", folder / "backups/\(newest ?? "")", url: target.url, in: folder)
        #expect(restored.status == 0 && restored.output.contains("no differences"), "\(restored.errors)")
        try await source.drop()
        try await target.drop()
    }

    /// A failed restore leaves an empty database, so that the restore can be repeated.
    @Test func failedRestoreLeavesTheDatabaseEmpty() async throws {
        let folder = try TemporaryFolder()
        let (source, target) = (try await TestStore.database(), try await TestCluster.database())
        #expect(try await run("demo", "--json", url: source.url, in: folder).status == 0)
        let made = try await run("backup", "--to", folder / "backups", "--json", url: source.url, in: folder)
        let path = try #require(try JSONValue.parse(made.output)["path"]?.string)
        // An event trigger fails when the restore is nearly complete: indexes come after the rows.
        let connection = try await Connection.connect(PostgresConfiguration(url: target.url))
        try await connection.script(
            """
            CREATE FUNCTION pg_temp_refuse() RETURNS event_trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no index today'; END $$;
            CREATE EVENT TRIGGER refuse ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION pg_temp_refuse();
            """)
        let failed = try await run("restore", path, url: target.url, in: folder)
        #expect(failed.status == 1 && failed.sentence.contains("no index today"), "\(failed.errors)")
        let tables = try await connection.query(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")
        #expect(try tables.single().decode(Int.self) == 0)
        try await connection.script("DROP EVENT TRIGGER refuse; DROP FUNCTION pg_temp_refuse()")
        await connection.close()
        let repeated = try await run("restore", path, url: target.url, in: folder)
        #expect(repeated.status == 0, "\(repeated.errors)")
        try await source.drop()
        try await target.drop()
    }

    /// The password must not be on the command line of another program.
    @Test func passwordIsNotPassedAsAnArgument() throws {
        let text = try ServiceFile(url: "postgresql://u:ge%20heim@h:5433/d?sslmode=require").text
        #expect(text.hasPrefix("[afterword]\n"))
        #expect(
            Set(text.split(separator: "\n")).isSuperset(of: [
                "password=ge heim", "host=h", "port=5433", "user=u", "dbname=d",
            ]))
        #expect(throws: PostgresError.self) { try ServiceFile(url: "postgresql://u:a%0Ab@h/d") }
        #expect(throws: PostgresError.self) { try ServiceFile(url: "postgresql://u:a%20@h/d") }
        #expect(throws: PostgresError.self) { try ServiceFile(url: "no url") }
    }
}
