import Foundation
import Postgres
import Synchronization

/// Removes the traces that PostgreSQL retains of deleted rows. Waits for all transactions that might still see these
/// rows, then vacuums the tables as their owner.
final class TraceClearing: Sendable {
    /// A reason why no traces can be removed until an operator changes the setup. The raw value is for the log.
    enum Obstacle: String, Error {
        case notOwner = "The database user may not vacuum the tables: grant it the role afterword_owner."
    }

    /// The tables whose old row versions reveal individual answers.
    private static let tables = ["submission", "tally"]
    /// The maximum size of a table that is rewritten, with its indexes, in bytes. VACUUM frees the space of deleted
    /// rows, but does not overwrite it.
    private static let maxRewrittenBytes = 32 * 1024 * 1024
    /// The maximum time for which a rewrite may block submissions. A rewrite that takes longer is cancelled.
    private static let rewriteTimeout = "500ms"

    private let configuration: PostgresConfiguration
    /// A mark for each form. Only older transactions may still see the form's deleted rows.
    private let marks = Mutex<[UUID: VacuumBlockers.Mark]>([:])

    init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
    }

    /// Runs `body` with a separate connection, as `afterword_owner` if this role exists and the user may set it.
    func withConnection<T>(_ body: (Connection) async throws -> T) async throws -> T {
        try await Connection.with(configuration) { connection in
            if try await connection.maySetRole("afterword_owner") {
                try await connection.script("SET ROLE afterword_owner")
            }
            return try await body(connection)
        }
    }

    /// Removes the traces of the forms whose deleted rows no transaction can see any more, and returns these forms.
    ///
    /// - Parameter timeout: The maximum time to wait for other transactions.
    func clear(_ forms: [UUID], timeout: Duration, on connection: Connection) async throws -> [UUID] {
        guard !forms.isEmpty else { return [] }
        guard try await Self.hasOwnerRole("USAGE", on: connection) else { throw Obstacle.notOwner }
        let now = try await VacuumBlockers.mark(on: connection)
        let marks = marks.withLock { marks in
            for form in forms where marks[form] == nil { marks[form] = now }
            return marks
        }
        let formMarks = Set(forms.compactMap { marks[$0] })
        let deadline = ContinuousClock.now + timeout
        var passedMarks = try await VacuumBlockers.passed(formMarks, on: connection)
        while passedMarks.count < formMarks.count, .now < deadline {
            try await Task.sleep(for: .milliseconds(20))
            passedMarks = try await VacuumBlockers.passed(formMarks, on: connection)
        }
        let cleared = forms.filter { form in marks[form].map(passedMarks.contains) ?? false }
        guard !cleared.isEmpty else { return [] }
        do {
            try await Self.vacuum(on: connection)
        } catch let error as PostgresError where Self.isTimeout(error) {
            // A table is being read or vacuumed by others. The caller tries again later.
            return []
        }
        self.marks.withLock { marks in for form in cleared { marks[form] = nil } }
        return cleared
    }

    /// Removes the write-ahead log up to now, which contains the answers in the order of their arrival. Returns false
    /// if the user may not do that on each server. PostgreSQL then removes or overwrites the log later.
    ///
    /// This is effective only with `wal_recycle=off`, and without archives, replicas and replication slots that keep
    /// the log.
    func discardLog(on connection: Connection) async throws -> Bool {
        let rows = try await connection.query(
            """
            SELECT has_function_privilege('pg_switch_wal()', 'EXECUTE')
                AND (pg_has_role('pg_checkpoint', 'USAGE')
                    OR EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND rolsuper))
            """)
        guard try rows.single().decode(Bool.self) else { return false }
        try await connection.query("SELECT pg_switch_wal()")
        try await connection.script("CHECKPOINT")
        do {
            _ = try await CitusWorkers.values(of: "SELECT pg_switch_wal()", on: connection)
            _ = try await CitusWorkers.values(of: "CHECKPOINT", on: connection)
        } catch let error as PostgresError where error.kind == .server {
            return false
        }
        return true
    }

    /// Returns descriptions of the transactions and other holders of old snapshots for which the form waits.
    func reasons(for form: UUID, on connection: Connection) async throws -> [String] {
        guard let mark = marks.withLock({ $0[form] }) else { return [] }
        return try await VacuumBlockers.names(before: mark, on: connection)
    }

    /// Vacuums the tables, then rewrites `form_salt` and the small tables. FREEZE makes VACUUM wait for pages that are
    /// being read, instead of skipping them. Without TRUNCATE, a plain VACUUM takes no lock that blocks others.
    private static func vacuum(on connection: Connection) async throws {
        try await connection.script("SET lock_timeout = '5s'; SET statement_timeout = '10min'")
        for table in tables {
            try await connection.script("VACUUM (FREEZE, TRUNCATE false, INDEX_CLEANUP on) \(table)")
        }
        try await connection.script("SET lock_timeout = '\(rewriteTimeout)'")
        try await connection.script("VACUUM FULL form_salt")
        try await connection.script("SET statement_timeout = '\(rewriteTimeout)'")
        for table in tables where try await size(of: table, on: connection) <= maxRewrittenBytes {
            try await rewrite(table, on: connection)
        }
        try await connection.script("RESET statement_timeout; RESET lock_timeout")
    }

    /// Rewrites the table, unless that takes too long. Even without the rewrite, VACUUM has removed the old rows, and
    /// only bytes in free space remain.
    private static func rewrite(_ table: String, on connection: Connection) async throws {
        do {
            try await connection.script("VACUUM FULL \(table)")
        } catch {
            guard isTimeout(error) else { throw error }
        }
    }

    /// Returns whether a lock was not acquired in time, or a statement took too long.
    private static func isTimeout(_ error: PostgresError) -> Bool {
        error.kind == .server && ["55P03", "57014"].contains(error.sqlState)
    }

    private static func size(of table: String, on connection: Connection) async throws -> Int {
        try await connection.query("SELECT pg_total_relation_size(\(table)::regclass)").single().decode(Int.self)
    }

    /// Returns whether the current role has this privilege on the role of the tables' owner. With `USAGE` it can vacuum
    /// them now, with `MEMBER` after SET ROLE. VACUUM would skip tables of other owners with only a warning.
    static func hasOwnerRole(_ privilege: String, on connection: Connection) async throws -> Bool {
        try await connection.query(
            """
            SELECT bool_and(pg_has_role(relowner, \(privilege))) FROM pg_class
            WHERE oid IN ('submission'::regclass, 'tally'::regclass, 'form_salt'::regclass)
            """
        ).single().decode(Bool.self)
    }
}
