import Cryptography
import Foundation
import Postgres
import SQL

/// Updates a database to this program's schema. Runs the pending migrations in order, each in its own transaction, and
/// then installs the functions whose text has changed. A migration cannot be reverted.
public struct Migrator: Sendable {
    public enum Failure: Error, Sendable, CustomStringConvertible {
        /// A migration that was applied to the database differs from this program's.
        case changed(number: Int, name: String)
        /// The database has a migration that this program does not know.
        case newer(number: Int, name: String)
        /// The database has the migrations of a version before the first release.
        case beforeFirstRelease

        public var description: String {
            switch self {
            case .changed(let number, let name):
                "Migration \(number) (\(name)) in the database differs from this program's: it was edited after "
                    + "it ran. Use the version of afterword that created the database."
            case .newer(let number, let name):
                "The database already has migration \(number) (\(name)), which this program does not know. "
                    + "Use a newer afterword."
            case .beforeFirstRelease:
                "The database was created by a version before the first release, whose schema this program cannot use: "
                    + "export its meetings with that version (`afterword export`), start this one on an empty data "
                    + "folder or database, and import the files (`afterword import`). Nothing was changed."
            }
        }
    }

    private let steps: [Migrations.Step]
    private let functions: StoredFunctions

    public init(steps: [Migrations.Step] = Migrations.all, functions: [Functions.Function] = Functions.all) {
        self.steps = steps
        self.functions = StoredFunctions(functions: functions)
    }

    /// The number of the newest migration that this program knows.
    public var newestNumber: Int { steps.map(\.number).max() ?? 0 }

    /// Runs the pending steps, installs the functions that are outdated or were edited, and returns these steps and
    /// functions.
    /// - Throws: `Failure` or `PostgresError`.
    @discardableResult
    public func migrate(url: String) async throws -> SchemaStatus {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in try await migrate(on: connection) }
    }

    /// Migrates a database of a Citus cluster and distributes its tables over the workers. Does nothing if that was
    /// done before.
    ///
    /// - Throws: `CitusCluster.Failure` if the database cannot be distributed, before anything is changed, or what
    ///   `migrate(url:)` throws.
    public func migrateAndDistribute(url: String) async throws -> (schema: SchemaStatus, isNew: Bool) {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            let cluster = try await CitusCluster.requireUsable(on: connection)
            let schema = try await migrate(on: connection)
            let isNew = cluster.placement == .none
            try await connection.transaction { connection in
                try await connection.script(TableDistribution.settings)
                try await TableDistribution.distributeTables(on: connection)
                for name in try await TableDistribution.distributeFunctions(on: connection) {
                    try await functions.record(name, on: connection)
                }
                try await TableDistribution.setDefaults(on: connection)
            }
            return (schema, isNew)
        }
    }

    /// Like `migrate(url:)`. The caller should close the connection soon, because the session holds the migration lock.
    func migrate(on connection: Connection) async throws -> SchemaStatus {
        // The lock is held until the session ends, so that simultaneous starts migrate one after the other.
        try await connection.query("SELECT pg_advisory_lock(hashtext('afterword/migrate'))")
        let before = try await status(on: connection)
        let pending = before.pendingSteps.map(\.number)
        let replaced = before.functions.filter { $0.state != .current }.map(\.name)
        if pending.isEmpty, replaced.isEmpty { return SchemaStatus(steps: [], functions: []) }
        let commit = try await IntermediateCommit.choose(on: connection)
        let hasCitus = try await CitusCluster.version(on: connection) != nil
        let cluster = hasCitus ? try await CitusCluster.requireUsable(on: connection) : nil
        let isDistributed = cluster?.placement == .complete
        try await connection.script(commit.setting + Self.ledger + StoredFunctions.ledger)
        for step in steps where pending.contains(step.number) {
            let isLast = step.number == pending.last && replaced.isEmpty
            try await run(step, isLast ? .flushed : commit, distributes: isDistributed, on: connection)
            if hasCitus, step.number == 1 { try await TableDistribution.allowLogins(on: connection) }
        }
        if !replaced.isEmpty { try await install(replaced, distributes: isDistributed, on: connection) }
        let after = try await status(on: connection)
        return SchemaStatus(
            steps: after.steps.filter { pending.contains($0.number) },
            functions: after.functions.filter { replaced.contains($0.name) })
    }

    /// Compares the database with this program; changes nothing.
    /// - Throws: `Failure` or `PostgresError`.
    public func status(url: String) async throws -> SchemaStatus {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in try await status(on: connection) }
    }

    private func status(on connection: Connection) async throws -> SchemaStatus {
        let ledgers = try await connection.query(
            "SELECT to_regclass('schema_migration') IS NOT NULL, to_regclass('schema_function') IS NOT NULL")
        let (hasSteps, hasFunctions) = try ledgers.single().decode(Bool.self, Bool.self)
        let applied = hasSteps ? try await appliedSteps(on: connection) : [:]
        return SchemaStatus(
            steps: steps.map { .init(number: $0.number, name: $0.name, appliedAt: applied[$0.number]) },
            functions: hasFunctions
                ? try await functions.status(on: connection)
                : functions.functions.map { .init(name: $0.name, state: .outdated) })
    }

    private func appliedSteps(on connection: Connection) async throws -> [Int: Date] {
        let rows = try await connection.query(
            "SELECT number, name, checksum, applied_at FROM schema_migration ORDER BY number")
        let recorded = try rows.map { row in try row.decode(Int.self, String.self, [UInt8].self, Date.self) }
        if recorded.contains(where: { $0.0 == 2 && $0.1 == "people" }) { throw Failure.beforeFirstRelease }
        var applied: [Int: Date] = [:]
        for (number, name, checksum, at) in recorded {
            guard let step = steps.first(where: { $0.number == number }) else {
                throw Failure.newer(number: number, name: name)
            }
            guard checksum == Self.checksum(step) else { throw Failure.changed(number: number, name: name) }
            applied[number] = at
        }
        return applied
    }

    private func run(
        _ step: Migrations.Step, _ commit: IntermediateCommit, distributes: Bool, on connection: Connection
    ) async throws {
        try await connection.transaction { connection in
            try await connection.script(commit.setting + TableDistribution.settings)
            if step.number > 1 { try await Self.becomeOwner(on: connection) }
            try await connection.script(step.sql)
            // In the step's transaction, so that no table of a distributed database is ever left out.
            if distributes { try await TableDistribution.distributeTables(on: connection) }
            try await connection.script("SET LOCAL ROLE NONE")
            try await connection.execute(
                """
                INSERT INTO schema_migration (number, name, checksum)
                VALUES (\(step.number), \(step.name), \(Self.checksum(step)))
                """)
        }
    }

    private func install(_ names: [String], distributes: Bool, on connection: Connection) async throws {
        try await connection.transaction { connection in
            try await connection.script(TableDistribution.settings)
            try await Self.becomeOwner(on: connection)
            for name in names { try await functions.install(name, on: connection) }
            if distributes { _ = try await TableDistribution.distributeFunctions(on: connection) }
            try await connection.script("SET LOCAL ROLE NONE")
            for name in names { try await functions.record(name, on: connection) }
        }
    }

    private static func becomeOwner(on connection: Connection) async throws {
        if try await connection.maySetRole("afterword_owner") {
            try await connection.script("SET LOCAL ROLE afterword_owner")
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
