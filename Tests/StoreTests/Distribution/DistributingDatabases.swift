import Postgres
import SQL
import Store
import TestSupport
import Testing

/// `migrate --citus`. The tests that need a cluster run only if there is one (`AFTERWORD_TEST_CITUS_URL`).
@Suite struct DistributingDatabases {
    @Test func databaseWithoutTheExtensionIsRefusedAndNotChanged() async throws {
        let database = try await TestCluster.database()
        let failure = await #expect(throws: CitusCluster.Failure.self) {
            try await Migrator().migrateAndDistribute(url: database.url)
        }
        #expect(failure?.description.contains("no Citus extension") == true)
        #expect(try await Migrator().status(url: database.url).pendingSteps.count == Migrations.all.count)
        #expect(try await CitusCluster.read(url: database.url) == nil)
        try await database.drop()
    }

    @Test(.enabled(if: TestCluster.usesCitus)) func secondRunChangesNothing() async throws {
        try await TestStore.run { fixture in
            let (schema, isNew) = try await Migrator().migrateAndDistribute(url: fixture.database.url)
            #expect(schema.steps.isEmpty && schema.functions.isEmpty && !isNew)
            let cluster = try #require(try await CitusCluster.read(url: fixture.database.url))
            #expect(cluster.placement == .complete && cluster.failure == nil && cluster.workers > 0)
        }
    }

    @Test(.enabled(if: TestCluster.usesCitus)) func rowsOfAFilledDatabaseAreMoved() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            for pace in 1...5 { _ = try await fixture.submit("{\"pace\": \(pace)}", to: meeting) }
            try await Self.undistribute(fixture.database)
            let cluster = try #require(try await CitusCluster.read(url: fixture.database.url))
            #expect(cluster.placement == .none)
            #expect(try await Migrator().migrateAndDistribute(url: fixture.database.url).isNew)
            _ = try await fixture.submit(#"{"pace": 5}"#, to: meeting)
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (6, 6))
            #expect(try await Self.functionsWithTheData(fixture.database) == Distribution.functions.sorted())
        }
    }

    @Test(.enabled(if: TestCluster.usesCitus)) func laterMigrationDistributesItsTables() async throws {
        try await TestStore.run { fixture in
            let url = fixture.database.url
            let later = Migrations.Step(
                number: Migrator().newestNumber + 1, name: "later",
                sql: """
                    CREATE TYPE later_kind AS ENUM ('a', 'b');
                    ALTER TABLE submission ADD COLUMN kind later_kind;
                    ALTER TABLE series ADD COLUMN kind later_kind;
                    """)
            let ran = try await Migrator(steps: Migrations.all + [later]).migrate(url: url)
            #expect(ran.steps.map(\.name) == ["later"])
            #expect(try await CitusCluster.read(url: url)?.placement == .complete)
        }
    }

    @Test(.enabled(if: TestCluster.usesCitus)) func incompleteDistributionIsRefused() async throws {
        try await TestStore.run { fixture in
            try await Self.run("SELECT undistribute_table('tally')", fixture.database)
            let cluster = try #require(try await CitusCluster.read(url: fixture.database.url))
            #expect(cluster.placement == .incomplete(missing: ["tally"]))
            let failure = await #expect(throws: CitusCluster.Failure.self) {
                try await Migrator().migrateAndDistribute(url: fixture.database.url)
            }
            #expect(failure?.description.contains("these are not: tally") == true)
        }
    }

    @Test(.enabled(if: TestCluster.usesCitus)) func otherDistributionIsRefused() async throws {
        try await TestStore.run { fixture in
            try await Self.run("SELECT create_distributed_table('outbox', 'id')", fixture.database)
            let failure = await #expect(throws: CitusCluster.Failure.self) {
                try await Migrator().migrateAndDistribute(url: fixture.database.url)
            }
            #expect(failure?.description.contains("outbox") == true)
        }
    }

    /// The functions whose calls Citus sends to the server that has the form's rows.
    private static func functionsWithTheData(_ database: TestDatabase) async throws -> [String] {
        try await Connection.with(PostgresConfiguration(url: database.url)) { connection in
            try await connection.query(
                """
                SELECT f.proname::text FROM pg_catalog.pg_dist_object o
                JOIN pg_proc f ON o.classid = 'pg_proc'::regclass AND o.objid = f.oid
                JOIN pg_dist_partition p ON p.logicalrelid = 'submission'::regclass AND p.colocationid = o.colocationid
                ORDER BY 1
                """
            ).map { row in try row.decode(String.self) }
        }
    }

    private static func undistribute(_ database: TestDatabase) async throws {
        // Tables that refer to each other are undistributed together.
        for table in Distribution.dataTables + Distribution.referenceTables {
            try await run(
                """
                SELECT undistribute_table(logicalrelid, cascade_via_foreign_keys => true) FROM pg_dist_partition
                WHERE logicalrelid = '\(table)'::regclass
                """, database)
        }
    }

    private static func run(_ sql: String, _ database: TestDatabase) async throws {
        try await Connection.with(PostgresConfiguration(url: database.url)) { try await $0.script(sql) }
    }
}
