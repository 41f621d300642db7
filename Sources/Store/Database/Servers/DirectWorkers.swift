import Foundation
import Postgres
import SQL
import Synchronization

/// The workers of a Citus cluster to which submissions are sent without the coordinator (`worker-urls`).
public final class DirectWorkers: Sendable {
    /// Why a worker, or any of them, cannot be used.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
        /// Whether the settings are wrong, so that the service must not start with them.
        public var isDefinite = false
    }

    let configurations: [PostgresConfiguration]
    private let state = Mutex(State())

    private struct State {
        /// The workers by their group, which is Citus's number of a server. Those that were not reached are missing.
        var indexes: [Int: Int] = [:]
        var nextCheck = ContinuousClock.now
    }

    /// How often the missing workers are looked for.
    private static let checkInterval: Duration = .seconds(30)
    /// Identifies a database of a server. `initdb` chose the number.
    private static let identity = "SELECT system_identifier || '/' || current_database() FROM pg_control_system()"

    /// - Parameter onConnect: The statements to run on every new connection to a worker.
    init(urls: [String], onConnect: [Statement] = []) {
        configurations = urls.map { url in
            var configuration = PostgresConfiguration(url: url)
            configuration.onConnect = onConnect
            return configuration
        }
    }

    /// Connects to each worker. Returns those that cannot be used now, with the reasons.
    ///
    /// - Throws: `Failure` if the tables are not distributed, or if a URL leads to a server that is no worker of this
    ///   cluster.
    @discardableResult
    func check(on coordinator: Connection) async throws -> [Failure] {
        try await Self.requireDistribution(on: coordinator)
        let answers = try await coordinator.query(
            "SELECT success, result FROM run_command_on_workers(\(Self.identity))"
        ).map { row in try row.decode(Bool.self, String.self) }
        let known = Set(answers.filter(\.0).map(\.1))
        let isComplete = answers.allSatisfy(\.0)
        var defects: [Failure] = []
        for (index, configuration) in configurations.enumerated() {
            do {
                // Another server may lack the role, but is to be recognized.
                let group = try await Connection.with(PostgresConfiguration(url: configuration.url)) { worker in
                    // The statement is a constant.
                    let identity = try await worker.query(Statement(unsafeSQL: Self.identity)).single()
                        .decode(String.self)
                    guard known.contains(identity) else { throw Self.stranger(index, isDefinite: isComplete) }
                    for statement in configuration.onConnect { try await worker.execute(statement) }
                    return try await worker.query("SELECT groupid FROM pg_dist_local_group").single().decode(Int.self)
                }
                state.withLock { $0.indexes[group] = index }
            } catch let failure as Failure {
                if failure.isDefinite { throw failure }
                defects.append(failure)
            } catch let error as PostgresError {
                defects.append(Failure(description: "URL \(index + 1) of worker-urls cannot be used: \(error)"))
            }
        }
        state.withLock { $0.nextCheck = .now + Self.checkInterval }
        return defects
    }

    /// Does the same with the coordinator's URL.
    @discardableResult
    public static func check(urls: [String], coordinator: String) async throws -> [Failure] {
        try await Connection.with(PostgresConfiguration(url: coordinator)) { connection in
            try await DirectWorkers(urls: urls).check(on: connection)
        }
    }

    private static func stranger(_ index: Int, isDefinite: Bool) -> Failure {
        isDefinite
            ? Failure(
                description: "URL \(index + 1) of worker-urls leads to no worker of the cluster of database-url.",
                isDefinite: true)
            : Failure(
                description: "URL \(index + 1) of worker-urls leads to no worker that the coordinator can reach now.")
    }

    private static func requireDistribution(on connection: Connection) async throws {
        if try await CitusCluster.version(on: connection) != nil {
            let isDistributed = try await connection.query(
                """
                SELECT EXISTS (SELECT FROM pg_dist_partition
                    WHERE logicalrelid = to_regclass(\(Distribution.dataTables[0])))
                """
            ).single().decode(Bool.self)
            if isDistributed { return }
        }
        throw Failure(
            description: "worker-urls needs a database with distributed tables: run `afterword migrate --citus`.",
            isDefinite: true)
    }

    /// The workers that have these forms, as indexes of `configurations`. Forms of other workers are missing.
    func indexes(of forms: [UUID], _ pool: Pool) async throws -> [UUID: Int] {
        if state.withLock({ $0.indexes.count < configurations.count && $0.nextCheck <= .now }) {
            state.withLock { $0.nextCheck = .now + Self.checkInterval }
            _ = try? await pool.withConnection { try await check(on: $0) }
        }
        let rows = try await pool.query(
            """
            SELECT s.form_id, p.groupid FROM (
                SELECT f.id AS form_id,
                    get_shard_id_for_distribution_column(\(Distribution.dataTables[0])::text::regclass, f.id) AS shard
                FROM unnest(\(forms)) AS f (id) OFFSET 0
            ) s JOIN pg_dist_placement p ON p.shardid = s.shard
            """)
        let groups = try rows.map { row in try row.decode(UUID.self, Int.self) }
        return state.withLock { state in
            groups.reduce(into: [:]) { found, row in found[row.0] = state.indexes[row.1] }
        }
    }
}
