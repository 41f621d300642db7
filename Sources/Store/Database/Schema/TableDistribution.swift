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

    /// Delegates the listed functions, so that a call runs on the server that has the form's rows. Does so again if the
    /// tables were distributed again. Returns the names of the functions whose settings it has changed: Citus cannot
    /// execute a plan that was made without the parameters' values, and the lock timeout of the service's sessions (see
    /// `Store.Configuration.lockTimeout`) does not reach the workers.
    static func distributeFunctions(on connection: Connection) async throws -> [String] {
        let pending = try await connection.query(
            """
            SELECT p.oid::regprocedure::text, p.proname = ANY (\(Distribution.functions)) FROM pg_proc p
            WHERE p.pronamespace = current_schema()::regnamespace
                AND p.proname = ANY (\(Distribution.functions + Distribution.helpers))
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_dist_object o
                    WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid
                        AND (p.proname = ANY (\(Distribution.helpers)) OR o.colocationid = (
                            SELECT t.colocationid FROM pg_dist_partition t
                            WHERE t.logicalrelid = \(Distribution.dataTables[0])::text::regclass)))
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
        let functions = try await connection.query(
            """
            SELECT p.oid::regprocedure::text, p.proname::text,
                'plan_cache_mode=force_generic_plan' = ANY (coalesce(p.proconfig, '{}')),
                p.proname = 'ingest'
                    AND NOT EXISTS (SELECT FROM unnest(p.proconfig) AS c WHERE starts_with(c, 'lock_timeout='))
            FROM pg_proc p
            WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = ANY (\(Distribution.functions))
            ORDER BY 1
            """
        ).map { row in try row.decode(String.self, String.self, Bool.self, Bool.self) }
        for (function, _, isGeneric, isWithoutLimit) in functions {
            if isGeneric { try await connection.script("ALTER FUNCTION \(function) SET plan_cache_mode = auto") }
            if isWithoutLimit { try await connection.script("ALTER FUNCTION \(function) SET lock_timeout = '1s'") }
        }
        return functions.filter { $0.2 || $0.3 }.map(\.1)
    }

    /// Changes settings of the database. Statements over several forms then read one server after the other within a
    /// transaction; otherwise Citus refuses to change a control table after such a statement. Settings for a transaction
    /// then apply on the workers too.
    static func setDefaults(on connection: Connection) async throws {
        let name = try await connection.query("SELECT current_database()::text").single().decode(String.self)
        for (setting, value) in [("multi_shard_modify_mode", "sequential"), ("propagate_set_commands", "local")] {
            let statement: Statement = "ALTER DATABASE \(identifier: name) SET citus."
            try await connection.script("\(statement.sql)\(setting) = '\(value)'")
        }
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
