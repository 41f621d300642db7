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

    @Test func theClockTakesUpFormsThatWereThereBefore() async throws {
        let database = try await TestCluster.database()
        let before = Migrations.all.filter { $0.number < 13 }
        try await Migrator(steps: before).migrate(url: database.url)
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        // An id says what is there: a draft that publishes itself, one that waits, is open, was closed by the clock.
        try await connection.script(
            """
            INSERT INTO account (id, email, name, role) VALUES (gen_random_uuid(), 'a@example.org', 'A', 'host');
            INSERT INTO series (id, owner_id, title, code) SELECT gen_random_uuid(), id, 'S', '0000000000000' FROM account;
            INSERT INTO meeting (id, series_id, host_id, round, title, time_zone, check_in_code)
            SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, s.id, s.owner_id, n, 'M', 'UTC', lpad(n::text, 13, '0')
            FROM series s, generate_series(1, 4) n;
            INSERT INTO form (id, meeting_id, code, join_code, definition, version)
            SELECT id, id, check_in_code, substr(check_in_code, 6), '{"autoPublish": true}', CASE round WHEN 1 THEN 0 ELSE 1 END
            FROM meeting;
            INSERT INTO form_state (form_id, state, opens_at, closes_at, key_id, updated_at)
            SELECT id, CASE round WHEN 1 THEN 'draft' ELSE 'open' END,
                CASE round WHEN 2 THEN now() + interval '1 day' END, CASE round WHEN 4 THEN now() - interval '1 day' END, 1, now()
            FROM meeting;
            """)
        try await Migrator().migrate(url: database.url)
        let told = try await connection.query(
            """
            SELECT fs.told || ' ' || (f.publishes_at IS NOT NULL)::text FROM form_state fs JOIN form f ON f.id = fs.form_id
            ORDER BY f.id
            """
        ).map { row -> String in try row.decode(String.self) }
        #expect(told == ["draft true", "scheduled false", "open false", "closed false"])
        await connection.close()
        try await database.drop()
    }

    /// Nobody knows what was seen of them: an anonymous form that has answers is filtered no more.
    @Test func everythingCountsAsReadOfFormsFromBeforeTheReleaseLog() async throws {
        let database = try await TestCluster.database()
        try await Migrator(steps: Migrations.all.filter { $0.number < 20 }).migrate(url: database.url)
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        try await connection.script(
            """
            ALTER TABLE form_state DROP CONSTRAINT form_state_form_known;
            INSERT INTO form_state (form_id, state, told, anonymous, submissions, key_id, updated_at)
            SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, CASE WHEN n < 4 THEN 'open' ELSE 'final' END,
                CASE n WHEN 3 THEN 'closed' ELSE 'open' END, n <> 2, CASE n WHEN 3 THEN 0 ELSE 5 END, 1, now()
            FROM generate_series(1, 4) n;
            """)
        try await Migrator().migrate(url: database.url)
        let forms = try await connection.query(
            "SELECT concat_ws(' ', anonymous, submissions, reopened, settled) FROM form_state ORDER BY form_id"
        ).map { row -> String in try row.decode(String.self) }
        #expect(forms == ["t 5 t f", "f 5 f f", "t 0 f t", "t 5 t t"])
        await connection.close()
        try await database.drop()
    }

    /// Links that were mailed before still work, with a password of their reader's choice.
    @Test func passwordsOfPendingSignUpsAreCleared() async throws {
        let database = try await TestCluster.database()
        try await Migrator(steps: Migrations.all.filter { $0.number < 25 }).migrate(url: database.url)
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        try await connection.script(
            """
            INSERT INTO registration (id, hash, email, name, password_hash, expires_at)
            VALUES (gen_random_uuid(), sha256('t'), 'victim@example.org', 'V', 'a stranger''s', now() + interval '1 day');
            """)
        try await Migrator().migrate(url: database.url)
        let rows = try await connection.query("SELECT r::text FROM registration r WHERE hash = sha256('t')").map {
            row -> String in try row.decode(String.self)
        }
        #expect(rows.count == 1 && rows.allSatisfy { !$0.contains("stranger") })
        await connection.close()
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
