import Foundation
import Postgres

/// When `afterword backup` last made a backup of a database.
public struct LastBackup: Sendable, Equatable {
    public var finishedAt: Date
    /// The size of the dump.
    public var bytes: Int

    /// Returns nil if there was none.
    public static func read(url: String) async throws -> LastBackup? {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            try read(await connection.query(select))
        }
    }

    /// Like `read(url:)`, over a connection of the service.
    public static func read(_ store: Store) async throws -> LastBackup? { try read(await store.pool.query(select)) }

    /// Records that a backup has just been finished. Does nothing if the database has an older schema.
    public static func record(bytes: Int, url: String) async throws {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            let exists = try await connection.query("SELECT to_regclass('last_backup') IS NOT NULL")
            guard try exists.single().decode(Bool.self) else { return }
            try await connection.execute(
                """
                INSERT INTO last_backup (finished_at, bytes) VALUES (now(), \(bytes))
                ON CONFLICT (single) DO UPDATE SET finished_at = excluded.finished_at, bytes = excluded.bytes
                """)
        }
    }

    private static let select: Statement = "SELECT finished_at, bytes FROM last_backup"

    private static func read(_ rows: Rows) throws -> LastBackup? {
        guard let row = rows.first else { return nil }
        let (finishedAt, bytes) = try row.decode(Date.self, Int.self)
        return LastBackup(finishedAt: finishedAt, bytes: bytes)
    }
}
