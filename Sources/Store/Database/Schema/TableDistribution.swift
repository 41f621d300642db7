import Postgres
import SQL

/// Distributes tables and functions over the servers of a Citus cluster, as `Distribution` says.
///
/// Each call does what is missing, within the caller's transaction.
enum TableDistribution {
    /// Settings for transactions that create or distribute tables. PostgreSQL without Citus accepts and ignores them.
    static let settings = """
        SET LOCAL citus.enable_local_reference_table_foreign_keys = off;
        SET LOCAL citus.multi_shard_modify_mode = 'sequential';
        """

    /// Distributes the listed tables that exist and are not distributed yet. Their rows are copied to the servers, and
    /// removed from where they were.
    static func distributeTables(on connection: Connection) async throws {
        let pending = try await connection.query(
            """
            SELECT t.name FROM unnest(\(Distribution.referenceTables + Distribution.dataTables))
                WITH ORDINALITY AS t (name, place)
            WHERE to_regclass(t.name) IS NOT NULL
                AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = to_regclass(t.name))
            ORDER BY t.place
            """
        ).map { row in try row.decode(String.self) }
        for table in pending {
            if Distribution.referenceTables.contains(table) {
                try await connection.query("SELECT create_reference_table(\(table)::text::regclass)")
            } else {
                let colocation = table == Distribution.dataTables[0] ? "none" : Distribution.dataTables[0]
                try await connection.query(
                    """
                    SELECT create_distributed_table(\(table)::text::regclass, \(Distribution.key)::text,
                        colocate_with => \(colocation)::text)
                    """)
            }
        }
        for table in pending {
            try await connection.query(
                "SELECT truncate_local_data_after_distributing_table(\(table)::text::regclass)")
        }
    }

    /// Delegates the listed functions, so that a call runs on the server that has the form's rows. Returns the names of
    /// those whose settings it has changed: Citus cannot execute a plan that was made without the parameters' values.
    static func distributeFunctions(on connection: Connection) async throws -> [String] {
        let pending = try await connection.query(
            """
            SELECT p.oid::regprocedure::text, p.proname = ANY (\(Distribution.functions)) FROM pg_proc p
            WHERE p.pronamespace = current_schema()::regnamespace
                AND p.proname = ANY (\(Distribution.functions + Distribution.helpers))
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_dist_object o
                    WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid
                        AND (o.distribution_argument_index IS NOT NULL OR p.proname = ANY (\(Distribution.helpers))))
            ORDER BY 1
            """
        ).map { row in try row.decode(String.self, Bool.self) }
        for (function, isDelegated) in pending {
            if isDelegated {
                try await connection.query(
                    """
                    SELECT create_distributed_function(\(function)::text::regprocedure, 'p_form_id',
                        colocate_with => \(Distribution.dataTables[0])::text)
                    """)
            } else {
                try await connection.query("SELECT create_distributed_function(\(function)::text::regprocedure)")
            }
        }
        let generic = try await connection.query(
            """
            SELECT p.oid::regprocedure::text, p.proname::text FROM pg_proc p
            WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = ANY (\(Distribution.functions))
                AND 'plan_cache_mode=force_generic_plan' = ANY (p.proconfig)
            ORDER BY 1
            """
        ).map { row in try row.decode(String.self, String.self) }
        for (function, _) in generic {
            try await connection.script("ALTER FUNCTION \(function) SET plan_cache_mode = auto")
        }
        return generic.map(\.1)
    }

    /// Statements over several forms then read one server after the other within a transaction. Otherwise Citus refuses
    /// to change a control table after such a statement.
    static func makeSequential(on connection: Connection) async throws {
        let name = try await connection.query("SELECT current_database()::text").single().decode(String.self)
        let setting: Statement = "ALTER DATABASE \(identifier: name) SET citus.multi_shard_modify_mode = 'sequential'"
        try await connection.script(setting.sql)
    }

    /// Lets the roles log in at the workers: Citus connects there as the role that runs a statement.
    static func allowLogins(on connection: Connection) async throws {
        let roles = try await connection.query(
            """
            SELECT rolname::text FROM pg_roles
            WHERE rolname IN ('afterword_owner', 'afterword_app') AND NOT rolcanlogin AND EXISTS (
                SELECT FROM pg_roles u WHERE u.rolname = current_user AND (u.rolsuper OR u.rolcreaterole))
            """
        ).map { row in try row.decode(String.self) }
        for role in roles { try await connection.script("ALTER ROLE \(role) LOGIN") }
    }
}
