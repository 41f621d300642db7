import Postgres

/// The other databases of a server, which no backup includes.
public enum OtherDatabases {
    /// The names of all databases except that of `url` and those that every new server has.
    public static func names(url: String) async throws -> [String] {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            try await connection.query(
                """
                SELECT datname::text FROM pg_database
                WHERE NOT datistemplate AND datname NOT IN (current_database(), 'postgres') ORDER BY datname
                """
            ).map { try $0.decode(String.self) }
        }
    }
}
