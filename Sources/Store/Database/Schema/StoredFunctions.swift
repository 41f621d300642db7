import Cryptography
import Postgres
import SQL

/// The functions in a database. The ledger `schema_function` stores two digests for each function:
///
/// - `checksum`, of the SQL from which the function was installed. It differs if the program has a new version.
/// - `definition`, of the function as PostgreSQL stored it. It differs if the function was edited in the database.
struct StoredFunctions {
    static let ledger = """
        CREATE TABLE IF NOT EXISTS schema_function (
            name text CONSTRAINT schema_function_pkey PRIMARY KEY,
            checksum bytea NOT NULL,
            definition bytea NOT NULL,
            installed_at timestamptz NOT NULL DEFAULT now()
        );
        """

    let functions: [Functions.Function]

    func status(on connection: Connection) async throws -> [SchemaStatus.Function] {
        let rows = try await connection.query(
            "SELECT f.name, f.checksum, f.definition = \(fragment: Self.definition("f.name")) FROM schema_function f")
        var states: [String: (checksum: [UInt8], isUnchanged: Bool?)] = [:]
        for row in rows {
            let (name, checksum, isUnchanged) = try row.decode(String.self, [UInt8].self, Bool?.self)
            states[name] = (checksum, isUnchanged)
        }
        return functions.map { function in
            guard let stored = states[function.name], stored.checksum == Self.checksum(function),
                let isUnchanged = stored.isUnchanged
            else { return .init(name: function.name, state: .outdated) }
            return .init(name: function.name, state: isUnchanged ? .current : .edited)
        }
    }

    /// Creates or replaces a function. Call it in a transaction, as the role that owns the tables.
    func install(_ name: String, on connection: Connection) async throws {
        guard let function = functions.first(where: { $0.name == name }) else { return }
        try await connection.script(function.sql)
    }

    /// Records the function in the ledger. First drops other functions with the same name, which an earlier version
    /// left or somebody created with other parameters. Call it as the connecting user, in the transaction that
    /// installed the function.
    func record(_ name: String, on connection: Connection) async throws {
        guard let function = functions.first(where: { $0.name == name }) else { return }
        let others = try await connection.query(
            """
            SELECT p.oid::regprocedure::text FROM pg_proc p
            WHERE \(fragment: Self.isNamed("\(name)")) AND p.xmin::text <> pg_current_xact_id()::xid::text
            """)
        for row in others {
            try await connection.script("DROP FUNCTION \(try row.decode(String.self))")
        }
        try await connection.execute(
            """
            INSERT INTO schema_function AS f (name, checksum, definition)
            VALUES (\(name), \(Self.checksum(function)), \(fragment: Self.definition("\(name)")))
            ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, definition = excluded.definition,
                installed_at = now()
            """)
    }

    private static func checksum(_ function: Functions.Function) -> [UInt8] {
        SHA256.hash(Array(function.sql.utf8))
    }

    /// An expression for the digest of a function's parameters, settings and body; null if no function has that name.
    private static func definition(_ name: Statement) -> Statement {
        """
        (SELECT sha256(convert_to(string_agg(
            concat_ws(E'\\n', pg_get_function_arguments(p.oid), p.proconfig::text, p.prosrc), E'\\n' ORDER BY p.oid), 'UTF8'))
        FROM pg_proc p WHERE \(fragment: isNamed(name)))
        """
    }

    private static func isNamed(_ name: Statement) -> Statement {
        """
        p.proname = \(fragment: name)
        AND p.pronamespace = (SELECT c.relnamespace FROM pg_class c WHERE c.oid = 'schema_function'::regclass)
        """
    }
}
