import Postgres
import SQL
import Store
import TestSupport
import Testing

@Suite struct Migrating {
    @Test func secondRunHasNothingToDo() async throws {
        let database = try await TestCluster.database()
        let first = try await Migrator().migrate(url: database.url)
        #expect(first.steps.map(\.number) == Migrations.all.map(\.number))
        #expect(first.steps.allSatisfy { $0.appliedAt != nil })
        #expect(first.functions.map(\.name) == Functions.all.map(\.name))
        let second = try await Migrator().migrate(url: database.url)
        #expect(second.steps.isEmpty && second.functions.isEmpty)
        try await database.drop()
    }

    @Test func concurrentStartsRunEachStepOnce() async throws {
        let database = try await TestCluster.database()
        let ran = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await Migrator().migrate(url: database.url).steps.count }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ran.sorted() == Array(repeating: 0, count: 7) + [Migrations.all.count])
        try await database.drop()
    }

    @Test func statusOfAnEmptyDatabaseChangesNothing() async throws {
        let database = try await TestCluster.database()
        let status = try await Migrator().status(url: database.url)
        #expect(status.pendingSteps.count == Migrations.all.count)
        #expect(status.outdatedFunctions.count == Functions.all.count)
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        let tables = try await connection.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        let count: Int? = try tables.first?.decode(Int.self)
        #expect(count == 0)
        await connection.close()
        try await database.drop()
    }

    @Test func editedOrUnknownMigrationIsRefused() async throws {
        let database = try await TestCluster.database()
        try await Migrator().migrate(url: database.url)
        var steps = Migrations.all
        steps[2].sql += "\n-- edited"
        await #expect(throws: Migrator.Failure.self) { try await Migrator(steps: steps).migrate(url: database.url) }
        await #expect(throws: Migrator.Failure.self) {
            try await Migrator(steps: Array(Migrations.all.dropLast())).migrate(url: database.url)
        }
        try await database.drop()
    }

    @Test func failedMigrationIsRolledBack() async throws {
        let database = try await TestCluster.database()
        let bad = Migrations.Step(
            number: Migrator().newestNumber + 1, name: "bad", sql: "CREATE TABLE half (); SELECT 1/0;")
        await #expect(throws: PostgresError.self) {
            try await Migrator(steps: Migrations.all + [bad]).migrate(url: database.url)
        }
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        let (isRolledBack, steps) =
            try await connection.query(
                "SELECT to_regclass('half') IS NULL, (SELECT count(*) FROM schema_migration)"
            ).first?.decode(Bool.self, Int.self) ?? (false, 0)
        #expect(isRolledBack)
        #expect(steps == Migrations.all.count)
        await connection.close()
        try await database.drop()
    }

    @Test func onlyTheLastCommitIsFlushed() async throws {
        let database = try await TestCluster.database()
        try await Migrator().migrate(url: database.url)
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        let settings = try await connection.query(
            "SELECT format('ALTER DATABASE %I SET synchronous_commit = on', current_database())")
        for row in settings { try await connection.script(try row.decode(String.self)) }
        let steps = ["early", "late"].enumerated().map { index, name in
            Migrations.Step(
                number: Migrator().newestNumber + index + 1, name: name,
                sql: "CREATE TABLE \(name) AS SELECT current_setting('synchronous_commit') AS value")
        }
        try await Migrator(steps: Migrations.all + steps).migrate(url: database.url)
        let values = try await connection.query("SELECT (SELECT value FROM early), (SELECT value FROM late)")
        let (early, late) = try #require(try values.first?.decode(String.self, String.self))
        #expect(early == "off" && late == "on")
        await connection.close()
        try await database.drop()
    }

    /// Creates the migration table as versions before the first release did.
    @Test func databaseFromBeforeTheFirstReleaseIsNotChanged() async throws {
        let database = try await TestCluster.database()
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        try await connection.script(
            """
            CREATE TABLE schema_migration (number integer PRIMARY KEY, name text NOT NULL, checksum bytea NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now());
            INSERT INTO schema_migration (number, name, checksum)
            VALUES (1, 'roles', 'x'), (2, 'people', 'x'), (3, 'meetings', 'x'), (23, 'totals', 'x');
            """)
        for attempt in [
            { try await Migrator().migrate(url: database.url) }, { try await Migrator().status(url: database.url) },
        ] {
            let failure = await #expect(throws: Migrator.Failure.self) { try await attempt() }
            #expect(failure?.description.contains("afterword export") == true, "\(String(describing: failure))")
        }
        let tables = try await connection.query(
            "SELECT string_agg(tablename, ' ') FROM pg_tables WHERE schemaname = 'public'")
        #expect(try tables.first?.decode(String.self) == "schema_migration")
        await connection.close()
        try await database.drop()
    }

    @Test func serviceRunsWithoutTheRightToChangeTables() async throws {
        try await TestStore.run { fixture in
            let role: String? = try await fixture.store.pool.query("SELECT current_user::text").first?.decode(
                String.self)
            #expect(role == (TestCluster.usesPooler ? "afterword_web" : "afterword_app"))
            let refusal = await #expect(throws: PostgresError.self) {
                try await fixture.store.pool.execute("DROP TABLE tally")
            }
            #expect(refusal?.sqlState == "42501")
        }
    }

    @Test func earlierTrashIsDeletedAfterThirtyDays() async throws {
        let database = try await TestCluster.database()
        try await Migrator(steps: Migrations.all.filter { $0.number < 13 }, functions: []).migrate(url: database.url)
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        try await connection.script(
            """
            INSERT INTO account (id, email, name, role) VALUES (gen_random_uuid(), 'a@example.org', 'A', 'host');
            INSERT INTO series (id, owner_id, title, code, deleted_at)
            SELECT gen_random_uuid(), a.id, 'S', u.code, u.at
            FROM account a, (VALUES ('0000000000000', '2026-01-01Z'::timestamptz), ('1111111111111', NULL)) u (code, at)
            """)
        try await Migrator().migrate(url: database.url)
        let rows = try await connection.query("SELECT purges_at = '2026-01-31Z' FROM series ORDER BY code")
        #expect(try rows.map { try $0.decode(Bool?.self) } == [true, nil])
        await connection.close()
        try await database.drop()
    }

    @Test func earlierSessionsWereConfirmedWhenTheyBegan() async throws {
        let database = try await TestCluster.database()
        let earlier = Migrations.all.filter { $0.number < 11 }
        try await Migrator(steps: earlier).migrate(url: database.url)
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        try await connection.execute(
            """
            INSERT INTO token (id, account_id, kind, scopes, hash, created_at, expires_at)
            VALUES (gen_random_uuid(), gen_random_uuid(), 'session', '{}', 'a', now() - interval '1 day', now())
            """)
        try await Migrator().migrate(url: database.url)
        let rows = try await connection.query("SELECT confirmed_at = created_at FROM token")
        #expect(try rows.map { try $0.decode(Bool.self) } == [true])
        await connection.close()
        try await database.drop()
    }
}
