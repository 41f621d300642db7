import Postgres
import Store

/// A database of one test. It is removed with the cluster unless it is dropped earlier.
public final class TestDatabase: Sendable {
    public let name: String
    public let url: String
    private let maintenance: Pool
    /// The other servers with a database of the same name, to which its tables are distributed.
    private let workers: [Pool]
    public let workerURLs: [String]

    init(name: String, url: String, maintenance: Pool, workers: [(pool: Pool, url: String)] = []) {
        self.name = name
        self.url = url
        self.maintenance = maintenance
        self.workers = workers.map(\.pool)
        workerURLs = workers.map(\.url)
    }

    /// The URL with another user than `postgres`.
    public func url(user: String) -> String {
        url.replacing("user=postgres", with: "user=\(user)").replacing("//postgres@", with: "//\(user)@")
    }

    /// Returns once `count` connections of this database wait for a lock, so that a test knows the state of its tasks.
    /// Throws after a minute.
    ///
    /// Uses a maintenance connection, because the service's role may not read the list of connections. Within a
    /// transaction, the list would not change.
    public func waitUntilBlocked(_ count: Int) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        var waiting = 0
        while waiting < count {
            guard .now < deadline else {
                throw TestStore.Missing("\(count) waiting connections; there were \(waiting)")
            }
            waiting = 0
            for server in [maintenance] + workers {
                let rows = try await server.query(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = \(name) AND wait_event_type = 'Lock'")
                waiting += try rows.single().decode(Int.self)
            }
            await Task.yield()
        }
    }

    /// Terminates the connections of this database that wait for a lock.
    public func terminateBlockedConnections() async throws {
        for server in [maintenance] + workers {
            try await server.query(
                """
                SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                WHERE datname = \(name) AND wait_event_type = 'Lock'
                """)
        }
    }

    /// Returns once a matching statement of the service waits for `event`, such as `ClientWrite` while the client does
    /// not read. If `event` is nil, returns once no statement matches. Throws after a minute.
    public func waitUntil(statementLike pattern: String, waitsFor event: String?) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        try await withNewConnection { connection in
            while true {
                let rows = try await connection.query(
                    """
                    SELECT coalesce(wait_event, '') FROM pg_stat_activity
                    WHERE datname = \(name) AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE \(pattern)
                    """)
                let waiting = try rows.first?.decode(String.self)
                guard waiting != event else { return }
                guard .now < deadline else {
                    throw TestStore.Missing(
                        "a statement that waits for \(event ?? "nothing"); it waited for \(waiting ?? "nothing")")
                }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// Terminates the connections that run a matching statement, as a database shutdown would.
    public func terminateConnections(runningStatementLike pattern: String) async throws {
        let rows = try await withNewConnection { connection in
            try await connection.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = \(name) AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE \(pattern)
                """)
        }
        guard !rows.isEmpty else { throw TestStore.Missing("a statement like \(pattern)") }
    }

    /// Runs `body` on a new connection. The maintenance connections may be blocked: other tests use them to drop their
    /// databases, which is impossible while a statement waits for its reader.
    private func withNewConnection<Value: Sendable>(_ body: (Connection) async throws -> Value) async throws -> Value {
        let connection = try await Connection.connect(PostgresConfiguration(url: url, applicationName: "tests"))
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Drops the database and terminates its connections. Citus may connect again at any time.
    public func drop() async throws {
        for server in [maintenance] + workers {
            var triesLeft = workers.isEmpty ? 1 : 20
            while triesLeft > 0 {
                triesLeft -= 1
                do {
                    try await server.execute("DROP DATABASE IF EXISTS \(identifier: name) WITH (FORCE)")
                    break
                } catch let error as PostgresError where error.sqlState == "55006" && triesLeft > 0 {
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
        }
    }
}
