import Cryptography
import Postgres
import Store
import TestSupport
import Testing

/// The rights of the connecting user decide whether the two roles are used.
@Suite(.timeLimit(.minutes(15))) struct RoleRights {
    /// Uses its own server, because roles belong to the whole cluster.
    @Test func userWithCreateRoleCanUseBothRoles() async throws {
        let server = try await TestServer.start()
        let maintenance = try await Connection.connect(PostgresConfiguration(url: server.url()))
        try await maintenance.execute("CREATE ROLE maker LOGIN CREATEROLE")
        try await maintenance.execute("CREATE DATABASE made OWNER maker")
        await maintenance.close()
        let url = server.url(database: "made").replacing("user=postgres", with: "user=maker")
        try await Migrator().migrate(url: url)
        let again = try await Migrator().migrate(url: url)
        #expect(again.steps.isEmpty && again.functions.isEmpty)
        let connection = try await Connection.connect(PostgresConfiguration(url: url))
        let owners = try await connection.query(
            "SELECT DISTINCT tableowner::text FROM pg_tables WHERE schemaname = 'public' AND tablename = 'form'")
        #expect(try owners.map { try $0.decode(String.self) } == ["afterword_owner"])
        let functionOwners = try await connection.query(
            "SELECT DISTINCT proowner::regrole::text FROM pg_proc WHERE proname IN ('ingest', 'form_state_at')")
        #expect(try functionOwners.map { try $0.decode(String.self) } == ["afterword_owner"])
        await connection.close()
        let keys = try #require(KeyRing(keys: [1: RandomBytes.make(32)]))
        let store = try await Store.open(.init(url: url), keys: keys, logger: TestStore.silentLogger)
        #expect(try await store.pool.query("SELECT current_user::text")[0].decode(String.self) == "afterword_app")
        let reading = try await store.usage.read()
        #expect(reading.databaseBytes ?? 0 > 0 && reading.tables.count > 30)
        await store.close()
        await server.remove()
    }

    @Test func serviceCanNeitherChangeTheAuditTrailNorItsKeys() async throws {
        try await TestStore.run { fixture in
            let pool = fixture.store.pool
            try await pool.execute(
                "INSERT INTO audit (id, account_id, act) SELECT id, account_id, act FROM audit WHERE false")
            for statement: Statement in [
                "UPDATE audit SET act = 'x'", "DELETE FROM audit", "TRUNCATE audit",
                "UPDATE secret_key SET check_value = 'x'",
                "DELETE FROM secret_key", "INSERT INTO secret_key (id, check_value) VALUES (9, 'x')",
                "UPDATE schema_migration SET name = 'x'", "DELETE FROM schema_function", "DELETE FROM last_backup",
            ] {
                let error = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await pool.execute(statement)
                }
                #expect(error?.sqlState == "42501", "\(statement)")
            }
        }
    }
}
