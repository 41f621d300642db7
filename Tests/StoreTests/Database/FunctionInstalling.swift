import Foundation
import Postgres
import SQL
import Store
import TestSupport
import Testing

/// A function is reinstalled if its file or its definition in the database has changed.
@Suite struct FunctionInstalling {
    /// All functions, with one of them replaced.
    private static func functions(replacing name: String, with sql: String) -> [Functions.Function] {
        Functions.all.map { $0.name == name ? .init(name: name, sql: sql) : $0 }
    }

    private static func withDatabase(_ body: (String, Connection) async throws -> Void) async throws {
        let database = try await TestStore.database()
        let connection = try await Connection.connect(PostgresConfiguration(url: database.url))
        try await body(database.url, connection)
        await connection.close()
        try await database.drop()
    }

    private static func text(_ statement: Statement, _ connection: Connection) async throws -> String? {
        try await connection.query(statement).first?.decode(String?.self)
    }

    @Test func changedFunctionIsReinstalled() async throws {
        try await Self.withDatabase { url, connection in
            let sql = try #require(Functions.all.first { $0.name == "form_state_at" }).sql
            let newer = Self.functions(
                replacing: "form_state_at", with: sql.replacing("RETURN CASE", with: "RETURN\n\nCASE"))
            #expect(
                try await Migrator(functions: newer).status(url: url).outdatedFunctions.map(\.name) == ["form_state_at"]
            )
            let changes = try await Migrator(functions: newer).migrate(url: url)
            #expect(changes.functions.map(\.name) == ["form_state_at"] && changes.steps.isEmpty)
            let body = try await Self.text("SELECT prosrc FROM pg_proc WHERE proname = 'form_state_at'", connection)
            #expect(body?.contains("RETURN\n\nCASE") == true)
            #expect(try await Migrator(functions: newer).status(url: url).isCurrent)
            #expect(try await Migrator().migrate(url: url).functions.map(\.name) == ["form_state_at"])
        }
    }

    @Test func functionWithOtherParametersReplacesTheOldOne() async throws {
        try await Self.withDatabase { url, connection in
            let other = """
                CREATE OR REPLACE FUNCTION form_state_at(p_state text) RETURNS text LANGUAGE sql AS $$ SELECT p_state $$;
                """
            let newer = Migrator(functions: Self.functions(replacing: "form_state_at", with: other))
            try await newer.migrate(url: url)
            let found = try await Self.text(
                "SELECT string_agg(oid::regprocedure::text, ' ') FROM pg_proc WHERE proname = 'form_state_at'",
                connection)
            #expect(found == "form_state_at(text)")
            #expect(try await newer.migrate(url: url).functions.isEmpty)
        }
    }

    @Test(arguments: [
        "ALTER FUNCTION form_state_at SET search_path = public",
        "CREATE FUNCTION form_state_at(text) RETURNS text LANGUAGE sql AS $$ SELECT 'open' $$",
        """
        CREATE OR REPLACE FUNCTION merge_tallies(
            p_form_id uuid, p_versions integer[], p_questions text[], p_buckets text[], p_deltas bigint[])
        RETURNS void LANGUAGE sql AS $$ SELECT 1 $$
        """,
    ])
    func functionEditedInTheDatabaseIsReinstalled(edit: String) async throws {
        try await Self.withDatabase { url, connection in
            let functions: Statement = """
                SELECT string_agg(pg_get_functiondef(p.oid), '' ORDER BY p.proname) FROM pg_proc p
                WHERE p.proname IN ('form_state_at', 'merge_tallies')
                """
            let before = try await Self.text(functions, connection)
            try await connection.script(edit)
            let status = try await Migrator().status(url: url)
            #expect(status.editedFunctions.count == 1 && status.isCurrent)
            #expect(try await Migrator().migrate(url: url).functions.map(\.name) == status.editedFunctions.map(\.name))
            #expect(try await Self.text(functions, connection) == before)
            #expect(try await Migrator().status(url: url).editedFunctions.isEmpty)
        }
    }

    @Test func droppedFunctionIsReinstalled() async throws {
        try await Self.withDatabase { url, connection in
            try await connection.script("DROP FUNCTION merge_tallies")
            #expect(try await Migrator().status(url: url).outdatedFunctions.map(\.name) == ["merge_tallies"])
            #expect(try await Migrator().migrate(url: url).functions.map(\.name) == ["merge_tallies"])
        }
    }

    @Test func functionThatCannotBeInstalledChangesNothing() async throws {
        try await Self.withDatabase { url, connection in
            let first = Self.functions(replacing: "form_state_at", with: Functions.all[0].sql + "-- newer\n")
            let bad = first.map {
                $0.name == "ingest" ? Functions.Function(name: "ingest", sql: "CREATE NONSENSE") : $0
            }
            await #expect(throws: PostgresError.self) { try await Migrator(functions: bad).migrate(url: url) }
            let status = try await Migrator().status(url: url)
            #expect(status.functions.allSatisfy { $0.state == .current })
        }
    }

    @Test func everyFileIsListedAndDefinesItsFunction() async throws {
        let files = Set(
            try FileManager.default.contentsOfDirectory(atPath: Repository.url("SQL/functions").path)
                .map { $0.replacing(".sql", with: "") })
        #expect(files == Set(Functions.all.map(\.name)))
        for function in Functions.all {
            #expect(function.sql.contains("\nCREATE OR REPLACE FUNCTION \(function.name)("))
        }
    }
}
