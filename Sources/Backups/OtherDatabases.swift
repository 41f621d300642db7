import Postgres

/// The databases of a server that are in no backup.
public enum OtherDatabases {
    /// The names of all databases but the one of `url` and those that each new server has.
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
