import Postgres
import Store

/// The facts about a database that a backup records and a restore checks.
enum RestoredDatabase {
    /// The name of a table, view or sequence that belongs to no extension; nil if there is none.
    static func anyTable(_ connection: Connection) async throws -> String? {
        try await connection.query(
            """
            SELECT format('%I.%I', n.nspname, c.relname)
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
                AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
                AND NOT EXISTS (
                    SELECT FROM pg_depend AS d
                    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
            ORDER BY 1 LIMIT 1
            """
        ).first?.decode(String.self)
    }

    /// The number of rows in each table of the schema `public`.
    static func rows(_ connection: Connection) async throws -> [String: Int] {
        let names = try await connection.query(
            """
            SELECT c.relname::text FROM pg_class AS c
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                AND c.relpersistence = 'p'
                AND NOT EXISTS (
                    SELECT FROM pg_depend AS d
                    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
            ORDER BY c.relname
            """
        ).map { try $0.decode(String.self) }
        var rows: [String: Int] = [:]
        for name in names {
            rows[name] = try await connection.query("SELECT count(*) FROM \(identifier: name)").single().decode(
                Int.self)
        }
        return rows
    }

    /// The number of anonymous forms that have been published and are not final. Their rows show in which order people
    /// answered.
    static func unsettledForms(_ connection: Connection) async throws -> Int {
        try await connection.query(
            """
            SELECT count(*) FROM form_state WHERE anonymous AND state NOT IN ('draft', 'final')
            """
        ).single().decode(Int.self)
    }

    static func belongsToOwnerRole(_ connection: Connection) async throws -> Bool {
        try await connection.query(
            "SELECT tableowner = 'afterword_owner' FROM pg_tables WHERE schemaname = 'public' AND tablename = 'account'"
        ).first?.decode(Bool.self) ?? false
    }

    /// Whether the user can act as both of the service's roles.
    static func mayUseRoles(_ connection: Connection) async throws -> Bool {
        let owner = try await connection.maySetRole("afterword_owner")
        let app = try await connection.maySetRole("afterword_app")
        return owner && app
    }
}
