import Postgres
import SQL

/// How a database with the Citus extension is distributed over the servers of its cluster.
public struct CitusCluster: Sendable {
    /// Where the tables of `Distribution` are.
    public enum Placement: Sendable, Equatable {
        /// No table is distributed.
        case none
        /// Every table is distributed as `Distribution` says.
        case complete
        /// These tables are not distributed, although others are.
        case incomplete(missing: [String])
        /// These tables are distributed in another way.
        case different([String])
    }

    /// A worker that cannot be used, and the reason.
    public struct Defect: Sendable, Equatable {
        public var worker: String
        public var reason: String
    }

    /// The version of the extension.
    public var version: String
    /// Whether the connection leads to the coordinator.
    public var isCoordinator: Bool
    public var workers: Int
    public var defects: [Defect]
    public var placement: Placement

    public static func read(url: String) async throws -> CitusCluster? {
        try await Connection.with(PostgresConfiguration(url: url)) { try await read(on: $0) }
    }

    /// Reads the state; nil without the extension. Changes nothing.
    static func read(on connection: Connection) async throws -> CitusCluster? {
        guard let version = try await version(on: connection) else { return nil }
        let isCoordinator = try await connection.query("SELECT groupid = 0 FROM pg_dist_local_group").single()
            .decode(Bool.self)
        guard isCoordinator else {
            return CitusCluster(version: version, isCoordinator: false, workers: 0, defects: [], placement: .none)
        }
        let answers = try await connection.query(
            """
            SELECT nodename || ':' || nodeport, success, result FROM run_command_on_workers(
                'SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = ''citus''), '''')')
            ORDER BY 1
            """
        ).map { row in try row.decode(String.self, Bool.self, String.self) }
        return CitusCluster(
            version: version, isCoordinator: true, workers: answers.count,
            defects: answers.compactMap { worker, isReached, answer in
                defect(of: worker, isReached, answer, expected: version)
            },
            placement: try await placement(on: connection))
    }

    static func version(on connection: Connection) async throws -> String? {
        try await connection.query("SELECT extversion FROM pg_extension WHERE extname = 'citus'").first?
            .decode(String.self)
    }

    private static func defect(
        of worker: String, _ isReached: Bool, _ answer: String, expected: String
    ) -> Defect? {
        if !isReached { return Defect(worker: worker, reason: "it cannot be reached: \(answer)") }
        if answer.isEmpty { return Defect(worker: worker, reason: "its database has no Citus extension") }
        if answer != expected { return Defect(worker: worker, reason: "its Citus is \(answer), not \(expected)") }
        return nil
    }

    private static func placement(on connection: Connection) async throws -> Placement {
        let rows = try await connection.query(
            """
            SELECT c.relname::text, CASE WHEN p.partmethod IS NULL THEN ''
                WHEN p.partmethod = 'n' AND p.repmodel = 't' THEN 'reference'
                WHEN p.partmethod = 'h' THEN 'by ' || column_to_column_name(p.logicalrelid, p.partkey)
                ELSE 'otherwise' END,
                p.colocationid IS NOT DISTINCT FROM (SELECT f.colocationid FROM pg_dist_partition f
                    WHERE f.logicalrelid = to_regclass('submission'))
            FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
            WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1
            """)
        let tables = try rows.map { row in try row.decode(String.self, String.self, Bool.self) }
        guard tables.contains(where: { !$0.1.isEmpty }) else { return .none }
        let different = tables.filter { name, kind, isColocated in
            switch kind {
            case "": false
            case "reference": !Distribution.referenceTables.contains(name)
            case "by \(Distribution.key)": !Distribution.dataTables.contains(name) || !isColocated
            default: true
            }
        }
        guard different.isEmpty else { return .different(different.map(\.0)) }
        let all = Set(Distribution.referenceTables + Distribution.dataTables)
        let missing = tables.filter { all.contains($0.0) && $0.1.isEmpty }.map(\.0)
        return missing.isEmpty ? .complete : .incomplete(missing: missing)
    }
}

extension CitusCluster {
    /// A database that cannot be distributed. Nothing was changed.
    public enum Failure: Error, Sendable, CustomStringConvertible {
        case noExtension
        case worker
        case unusable([Defect])
        case incomplete([String])
        case different([String])

        public var description: String {
            switch self {
            case .noExtension:
                "The database has no Citus extension: load citus on each server (shared_preload_libraries), run "
                    + "CREATE EXTENSION citus in the database on each, and add the workers with citus_add_node. "
                    + "Nothing was changed."
            case .worker:
                "The database is on a worker of the Citus cluster: use the URL of the coordinator. Nothing was changed."
            case .unusable(let defects):
                "A worker of the Citus cluster cannot be used: "
                    + defects.map { "\($0.worker): \($0.reason)" }.joined(separator: "; ") + ". Nothing was changed."
            case .incomplete(let tables):
                "Only a part of the tables is distributed; these are not: \(tables.joined(separator: ", ")). Undo the "
                    + "distribution of the others with undistribute_table, or restore a backup. Nothing was changed."
            case .different(let tables):
                "These tables are distributed in a way that afterword does not know: "
                    + "\(tables.joined(separator: ", ")). Undo it with undistribute_table. Nothing was changed."
            }
        }
    }

    /// Throws if the database cannot be distributed.
    static func requireUsable(on connection: Connection) async throws -> CitusCluster {
        guard let cluster = try await read(on: connection) else { throw Failure.noExtension }
        if let failure = cluster.failure { throw failure }
        return cluster
    }

    /// What prevents the distribution, or the use of a distributed database.
    public var failure: Failure? {
        if !isCoordinator { return .worker }
        if !defects.isEmpty { return .unusable(defects) }
        switch placement {
        case .none, .complete: return nil
        case .incomplete(let tables): return .incomplete(tables)
        case .different(let tables): return .different(tables)
        }
    }
}
