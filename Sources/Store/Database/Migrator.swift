import Cryptography
import Foundation
import Postgres
import SQL

/// Brings a database to this program's schema: forward only, one at a time, each step in its own transaction.
public struct Migrator: Sendable {
    public enum Failure: Error, Sendable, CustomStringConvertible {
        /// A step in the database is not the one of this program.
        case changed(number: Int, name: String)
        /// The database has a step that this program does not know.
        case newer(number: Int, name: String)

        public var description: String {
            switch self {
            case .changed(let number, let name):
                "Migration \(number) (\(name)) in the database is not the one of this program; "
                    + "it was edited after it ran. Use the program that made the database."
            case .newer(let number, let name):
                "The database already has migration \(number) (\(name)), which this program does not know. "
                    + "Use a newer afterword."
            }
        }
    }

    /// One step and when it ran, nil if it has not.
    public struct Status: Sendable {
        public var number: Int
        public var name: String
        public var appliedAt: Date?
    }

    private let steps: [Migrations.Step]

    public init(steps: [Migrations.Step] = Migrations.all) {
        self.steps = steps
    }

    /// Runs what is missing and returns those steps; throws `Failure` or `PostgresError`.
    @discardableResult
    public func migrate(url: String) async throws -> [Status] {
        let connection = try await Connection.connect(PostgresConfiguration(url: url))
        do {
            // Held by the session, so that two starts at once run one after the other.
            try await connection.query("SELECT pg_advisory_lock(hashtext('afterword/migrate'))")
            try await connection.script(Self.ledger)
            let before = try await status(on: connection)
            for (step, status) in zip(steps, before) where status.appliedAt == nil {
                try await run(step, on: connection)
            }
            let missing = Set(before.filter { $0.appliedAt == nil }.map(\.number))
            let after = try await status(on: connection)
            await connection.close()
            return after.filter { missing.contains($0.number) }
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Every step with the time it ran; changes nothing.
    public func status(url: String) async throws -> [Status] {
        let connection = try await Connection.connect(PostgresConfiguration(url: url))
        do {
            let there = try await connection.query("SELECT to_regclass('schema_migration') IS NOT NULL")
            let known = try there.first?.decode(Bool.self) ?? false
            let status =
                known
                ? try await status(on: connection)
                : steps.map { Status(number: $0.number, name: $0.name, appliedAt: nil) }
            await connection.close()
            return status
        } catch {
            await connection.close()
            throw error
        }
    }

    private func status(on connection: Connection) async throws -> [Status] {
        let rows = try await connection.query(
            "SELECT number, name, checksum, applied_at FROM schema_migration ORDER BY number")
        var applied: [Int: Date] = [:]
        for row in rows {
            let (number, name, checksum, at) = try row.decode(Int.self, String.self, [UInt8].self, Date.self)
            guard let step = steps.first(where: { $0.number == number }) else {
                throw Failure.newer(number: number, name: name)
            }
            guard checksum == Self.checksum(step) else { throw Failure.changed(number: number, name: name) }
            applied[number] = at
        }
        return steps.map { Status(number: $0.number, name: $0.name, appliedAt: applied[$0.number]) }
    }

    private func run(_ step: Migrations.Step, on connection: Connection) async throws {
        try await connection.transaction { connection in
            // Both lines are Citus's and mean nothing to plain PostgreSQL, which accepts them.
            try await connection.script(
                """
                SET LOCAL citus.enable_local_reference_table_foreign_keys = off;
                SET LOCAL citus.multi_shard_modify_mode = 'sequential';
                """)
            let owned = try await connection.query(
                "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'afterword_owner' AND \(fragment: .maySetRole))")
            let isOwned: Bool = try owned.single().decode(Bool.self)
            if step.number > 1, isOwned {
                try await connection.script("SET LOCAL ROLE afterword_owner")
            }
            try await connection.script(step.sql)
            try await connection.script("SET LOCAL ROLE NONE")
            try await connection.execute(
                """
                INSERT INTO schema_migration (number, name, checksum)
                VALUES (\(step.number), \(step.name), \(Self.checksum(step)))
                """)
        }
    }

    private static func checksum(_ step: Migrations.Step) -> [UInt8] {
        SHA256.hash(Array(step.sql.utf8))
    }

    private static let ledger = """
        CREATE TABLE IF NOT EXISTS schema_migration (
            number integer CONSTRAINT schema_migration_pkey PRIMARY KEY,
            name text NOT NULL,
            checksum bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        );
        """
}
