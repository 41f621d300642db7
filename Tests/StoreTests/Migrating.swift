import Postgres
import SQL
import Store
import TestSupport
import Testing

@Suite struct Migrating {
    @Test func aSecondRunHasNothingToDo() async throws {
        let database = try await TestCluster.database()
        let first = try await Migrator().migrate(url: database.url)
        #expect(first.map(\.number) == Migrations.all.map(\.number))
        #expect(first.allSatisfy { $0.appliedAt != nil })
        #expect(try await Migrator().migrate(url: database.url).isEmpty)
        try await database.drop()
    }

    @Test func eightStartsAtOnceRunEachStepOnce() async throws {
        let database = try await TestCluster.database()
        let ran = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await Migrator().migrate(url: database.url).count }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ran.sorted() == Array(repeating: 0, count: 7) + [Migrations.all.count])
        try await database.drop()
    }

    @Test func statusOfAnEmptyDatabaseChangesNothing() async throws {
        let database = try await TestCluster.database()
        let status = try await Migrator().status(url: database.url)
        #expect(status.count == Migrations.all.count)
        #expect(status.allSatisfy { $0.appliedAt == nil })
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        let tables = try await connection.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        let count: Int? = try tables.first?.decode(Int.self)
        #expect(count == 0)
        await connection.close()
        try await database.drop()
    }

    @Test func aStepThatWasEditedAfterItRanStopsTheStart() async throws {
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

    @Test func aStepThatFailsLeavesNothingOfItself() async throws {
        let database = try await TestCluster.database()
        let bad = Migrations.Step(number: 9, name: "bad", sql: "CREATE TABLE half (); SELECT 1/0;")
        await #expect(throws: PostgresError.self) {
            try await Migrator(steps: Migrations.all + [bad]).migrate(url: database.url)
        }
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        let (half, steps) =
            try await connection.query(
                "SELECT to_regclass('half') IS NULL, (SELECT count(*) FROM schema_migration)"
            ).first?.decode(Bool.self, Int.self) ?? (false, 0)
        #expect(half)
        #expect(steps == Migrations.all.count)
        await connection.close()
        try await database.drop()
    }

    @Test func theServiceRunsWithoutTheRightToChangeTables() async throws {
        try await TestStore.run { fixture in
            let role: String? = try await fixture.store.pool.query("SELECT current_user::text").first?.decode(
                String.self)
            #expect(role == "afterword_app")
            let refusal = await #expect(throws: PostgresError.self) {
                try await fixture.store.pool.execute("DROP TABLE tally")
            }
            #expect(refusal?.sqlState == "42501")
        }
    }
}
