import Postgres

/// Runs statements on the workers of a Citus cluster. Without Citus, there are no workers.
enum CitusWorkers {
    /// Runs a statement on each worker, and returns its only value by worker.
    ///
    /// - Throws: `PostgresError` if a worker cannot be reached, or if the statement fails there.
    static func values(of sql: String, on connection: Connection) async throws -> [String: String] {
        guard try await exist(on: connection) else { return [:] }
        let answers = try await connection.query(
            """
            SELECT nodename || ':' || nodeport, success, result FROM run_command_on_workers(\(sql)) ORDER BY 1
            """
        ).map { row in try row.decode(String.self, Bool.self, String.self) }
        if let failure = answers.first(where: { !$0.1 }) {
            throw PostgresError(.server, "the worker \(failure.0) failed: \(failure.2)", sqlState: "08006")
        }
        return Dictionary(uniqueKeysWithValues: answers.map { ($0.0, $0.2) })
    }

    private static func exist(on connection: Connection) async throws -> Bool {
        try await connection.query("SELECT to_regproc('run_command_on_workers') IS NOT NULL").single()
            .decode(Bool.self)
    }
}
