import Domain
import Foundation
import Postgres
import SQL
import Store
import TestSupport
import Testing

/// The rules of docs/data-model.md that let the same schema run on Citus, and that plain PostgreSQL can check. Its
/// catalog has no shards, so that the tests use a plain database even if there is a cluster.
@Suite struct DistributionRules {
    private static let dataTables = Distribution.dataTables
    private static let localTables = Distribution.localTables

    private static func strings(_ statement: Statement) async throws -> [String] {
        let database = try await TestCluster.database()
        try await Migrator().migrate(url: database.url)
        let strings = try await Connection.with(PostgresConfiguration(url: database.url)) { connection in
            try await connection.query(statement).map { row -> String in try row.decode(String.self) }
        }
        try await database.drop()
        return strings
    }

    @Test func everyTableIsInOneOfTheLists() async throws {
        let tables = try await Self.strings(
            """
            SELECT relname::text FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1
            """)
        let listed = Distribution.referenceTables + Distribution.dataTables + Distribution.localTables
        #expect(tables == listed.sorted(), "add a new table to a list of SQL/Distribution.swift")
    }

    /// A table is distributed after those to which its foreign keys refer.
    @Test func referenceTablesFollowThoseThatTheyReference() async throws {
        let references = try await Self.strings(
            """
            SELECT conrelid::regclass || ' ' || confrelid::regclass FROM pg_constraint
            WHERE contype = 'f' AND conrelid <> confrelid
            """)
        let order = Distribution.referenceTables + Distribution.dataTables
        for reference in references {
            let places = reference.split(separator: " ").map { order.firstIndex(of: String($0)) ?? -1 }
            #expect(places[1] >= 0 && places[1] < places[0], "\(reference)")
        }
    }

    @Test func uniqueIndexesOfDataTablesContainTheFormID() async throws {
        let indexesWithoutFormID = try await Self.strings(
            """
            SELECT i.indexrelid::regclass::text FROM pg_index i
            WHERE i.indrelid::regclass::text = ANY (\(Self.dataTables)) AND i.indisunique
                AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attname = 'form_id'
                    AND a.attnum = ANY (i.indkey))
            """)
        #expect(indexesWithoutFormID.isEmpty)
        let tablesWithLeadingFormID = try await Self.strings(
            """
            SELECT i.indrelid::regclass::text FROM pg_index i
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indrelid::regclass::text = ANY (\(Self.dataTables)) AND i.indisprimary AND a.attname = 'form_id'
                AND a.attnotnull
            ORDER BY 1
            """)
        #expect(tablesWithLeadingFormID == Self.dataTables.sorted())
    }

    @Test func dataTablesHaveNoTriggersRulesOrRowSecurity() async throws {
        let forbidden = try await Self.strings(
            """
            SELECT 'trigger ' || tgname FROM pg_trigger
            WHERE tgrelid::regclass::text = ANY (\(Self.dataTables)) AND NOT tgisinternal
            UNION ALL SELECT 'rule ' || rulename FROM pg_rewrite
            WHERE ev_class::regclass::text = ANY (\(Self.dataTables))
            UNION ALL SELECT 'security ' || relname FROM pg_class
            WHERE oid::regclass::text = ANY (\(Self.dataTables)) AND (relrowsecurity OR relforcerowsecurity)
            """)
        #expect(forbidden.isEmpty)
    }

    @Test func dataTablesAreNotReferencedAndLocalTablesHaveNoForeignKeys() async throws {
        let references = try await Self.strings(
            """
            SELECT conname::text FROM pg_constraint
            WHERE contype = 'f' AND confrelid::regclass::text = ANY (\(Self.dataTables))
            """)
        #expect(references.isEmpty)
        let localForeignKeys = try await Self.strings(
            """
            SELECT conname::text FROM pg_constraint WHERE contype = 'f'
                AND (conrelid::regclass::text = ANY (\(Self.localTables))
                    OR confrelid::regclass::text = ANY (\(Self.localTables)))
            """)
        #expect(localForeignKeys.isEmpty)
    }

    @Test func constraintsAreNamedAfterTheirTable() async throws {
        let misnamed = try await Self.strings(
            """
            SELECT k.conname || ' of ' || c.relname FROM pg_constraint k
            JOIN pg_class c ON c.relkind = 'r' AND (c.oid = k.conrelid OR k.contypid <> 0 AND EXISTS (
                SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.atttypid = k.contypid))
            WHERE k.connamespace = 'public'::regnamespace AND NOT starts_with(k.conname, c.relname || '_')
            """)
        #expect(misnamed.isEmpty)
    }

    /// `ingest_forms` is exempt, because it is called only where no table is distributed.
    @Test func functionsOnDataTablesTakeTheFormIDFirstAndSendNoNotification() async throws {
        let violations = try await Self.strings(
            """
            SELECT p.proname::text FROM pg_proc p
            WHERE p.pronamespace = 'public'::regnamespace AND p.prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c')
                AND p.proname <> 'ingest_forms'
                AND p.prosrc ~* '(FROM|INTO|UPDATE|JOIN) (form_state|form_salt|submission|tally|timeline|seen_state)\\M'
                AND (p.proargnames[1] <> 'p_form_id' OR p.prosrc ~* 'pg_notify|NOTIFY|MERGE INTO|GROUPING SETS|LATERAL')
            """)
        #expect(violations.isEmpty)
        let functions = try await Self.strings(
            """
            SELECT p.proname::text FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
                AND p.proargnames[1] = 'p_form_id' ORDER BY 1
            """)
        #expect(functions == Distribution.functions.sorted())
    }

    @Test func schemaWorksWhenPartitionedByTheFormID() async throws {
        let steps = Migrations.all.map { step -> Migrations.Step in
            var step = step
            step.sql = Self.partitioned(step.sql)
            return step
        }
        let database = try await TestCluster.database()
        try await Migrator(steps: steps).migrate(url: database.url)
        try await TestStore.use(database) { fixture in
            let partitioned = try await fixture.store.pool.query(
                "SELECT count(*) FROM pg_partitioned_table WHERE partstrat = 'h'")
            let count: Int? = try partitioned.first?.decode(Int.self)
            #expect(count == Self.dataTables.count)
            let meeting = try await fixture.openMeeting()
            let mine = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            let again = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            #expect(again.isReplay)
            _ = try await fixture.submit(#"{"pace": 5}"#, to: meeting)
            try await fixture.store.submissions.withdraw(mine.id, code: meeting.form.code, receipt: mine.receipt)
            let results = try await fixture.store.results.read(meeting.form.id)
            #expect(results.questions[0].datasets[0].data == [0, 0, 0, 0, 1])
        }
    }

    /// Partitions each data table in `sql` by the hash of form_id. The two partitions have no fill factor.
    private static func partitioned(_ sql: String) -> String {
        var sql = sql
        for table in dataTables {
            guard let start = sql.range(of: "CREATE TABLE \(table) ("),
                let end = sql[start.upperBound...].firstRange(of: /\n\)( WITH \(fillfactor = \d+\))?;/)
            else { continue }
            let parts = (0..<2).map {
                "\nCREATE TABLE \(table)_\($0) PARTITION OF \(table) FOR VALUES WITH (MODULUS 2, REMAINDER \($0));"
            }
            sql.replaceSubrange(end, with: "\n) PARTITION BY HASH (form_id);" + parts.joined())
        }
        return sql
    }
}
