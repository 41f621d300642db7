import Foundation
import Postgres
import Synchronization

/// Clears away what PostgreSQL keeps of deleted rows: first it waits for everybody who might still see them, then it
/// vacuums as the tables' owner.
final class TraceClearing: Sendable {
    /// What stands in the way of all forms until somebody changes it.
    struct Obstacle: Error {
        var sentence: String

        static let notOwner = Obstacle(
            sentence: "The database user may not vacuum the tables: let it become afterword_owner.")
    }

    /// Tables whose old rows tell of single answers.
    private static let tables = ["submission", "tally"]
    /// Up to this size with its indexes a table is written anew as a whole, since vacuuming overwrites nothing.
    private static let small = 32 * 1024 * 1024
    /// As long may that hold up submissions; else it is left.
    private static let longestHold = "500ms"

    private let connecting: PostgresConfiguration
    /// The transactions that may see what a form was are older than its mark.
    private let marks = Mutex<[UUID: String]>([:])

    init(connecting: PostgresConfiguration) {
        self.connecting = connecting
    }

    /// A connection of its own, as the owner where that role exists and may be taken.
    func withConnection<T>(_ body: (Connection) async throws -> T) async throws -> T {
        let connection = try await Connection.connect(connecting)
        do {
            try await Self.become(owner: true, on: connection)
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Returns those of the forms that nobody sees any more as they were, when all that was kept of them is gone.
    ///
    /// - Parameter patience: how long to wait for the others.
    func clear(_ forms: [UUID], patience: Duration, on connection: Connection) async throws -> [UUID] {
        guard !forms.isEmpty else { return [] }
        guard try await Self.isOwner(on: connection) else { throw Obstacle.notOwner }
        let now = try await connection.query("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")
            .single().decode(String.self)
        let marks = marks.withLock { marks in
            for form in forms where marks[form] == nil { marks[form] = now }
            return marks
        }
        let wanted = Set(forms.compactMap { marks[$0] })
        let deadline = ContinuousClock.now + patience
        var passed = try await VacuumBlockers.passed(wanted, on: connection)
        while passed.count < wanted.count, .now < deadline {
            try await Task.sleep(for: .milliseconds(20))
            passed = try await VacuumBlockers.passed(wanted, on: connection)
        }
        let cleared = forms.filter { form in marks[form].map(passed.contains) ?? false }
        guard !cleared.isEmpty else { return [] }
        do {
            try await Self.vacuum(on: connection)
        } catch let error as PostgresError where Self.isTooLong(error) {
            // Somebody reads a table that is to be written anew, or vacuums it: at another time.
            return []
        }
        self.marks.withLock { marks in for form in cleared { marks[form] = nil } }
        return cleared
    }

    /// What the form waits for, as phrases.
    func reasons(for form: UUID, on connection: Connection) async throws -> [String] {
        guard let mark = marks.withLock({ $0[form] }) else { return [] }
        return try await VacuumBlockers.names(before: mark, on: connection)
    }

    /// FREEZE has it wait for pages that somebody is reading, instead of leaving them. Without TRUNCATE nobody else
    /// waits for it.
    private static func vacuum(on connection: Connection) async throws {
        try await connection.script("SET lock_timeout = '5s'; SET statement_timeout = '10min'")
        for table in tables {
            try await connection.script("VACUUM (FREEZE, TRUNCATE false, INDEX_CLEANUP on) \(table)")
        }
        try await connection.script("SET lock_timeout = '\(longestHold)'")
        try await connection.script("VACUUM FULL form_salt")
        try await connection.script("SET statement_timeout = '\(longestHold)'")
        for table in tables where try await size(of: table, on: connection) <= small {
            try await rewrite(table, on: connection)
        }
        try await connection.script("RESET statement_timeout; RESET lock_timeout")
    }

    /// Leaves the table where that takes too long: its old rows are gone, only some of their bytes are not.
    private static func rewrite(_ table: String, on connection: Connection) async throws {
        do {
            try await connection.script("VACUUM FULL \(table)")
        } catch {
            guard isTooLong(error) else { throw error }
        }
    }

    /// A lock was not had in time, or a statement took too long.
    private static func isTooLong(_ error: PostgresError) -> Bool {
        error.kind == .server && ["55P03", "57014"].contains(error.sqlState)
    }

    private static func size(of table: String, on connection: Connection) async throws -> Int {
        try await connection.query("SELECT pg_total_relation_size(\(table)::regclass)").single().decode(Int.self)
    }

    /// VACUUM passes over tables of others with no more than a warning.
    private static func isOwner(on connection: Connection) async throws -> Bool {
        try await connection.query(
            """
            SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_class
            WHERE oid IN ('submission'::regclass, 'tally'::regclass, 'form_salt'::regclass)
            """
        ).single().decode(Bool.self)
    }

    private static func become(owner: Bool, on connection: Connection) async throws {
        let roles = try await connection.query(
            "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'afterword_owner' AND \(fragment: .maySetRole))")
        if try roles.single().decode(Bool.self) { try await connection.script("SET ROLE afterword_owner") }
    }
}
