import Postgres

/// A database of one test. It is removed with the cluster; a test that fills it may drop it earlier.
public final class TestDatabase: Sendable {
    public let name: String
    public let url: String
    private let maintenance: Pool

    init(name: String, url: String, maintenance: Pool) {
        self.name = name
        self.url = url
        self.maintenance = maintenance
    }

    /// Returns when `count` of its connections wait for a lock, so that a test knows the state of its tasks; throws
    /// after 20 s. Uses another connection, because the service's own role may not see the list, and inside a
    /// transaction it does not change.
    public func untilWaiting(_ count: Int) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        var waiting = 0
        while waiting < count {
            guard .now < deadline else { throw TestStore.Missing("\(count) who wait; there were \(waiting)") }
            let rows = try await maintenance.query(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = \(name) AND wait_event_type = 'Lock'")
            waiting = try rows.first?.decode(Int.self) ?? 0
            await Task.yield()
        }
    }

    /// Returns when a matching statement of the service waits for `event` (`ClientWrite`: the client does not read), or
    /// if nil when no statement matches; throws after a minute.
    public func until(statementLike pattern: String, waitsFor event: String?) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        try await asking { connection in
            while true {
                let rows = try await connection.query(
                    """
                    SELECT coalesce(wait_event, '') FROM pg_stat_activity
                    WHERE datname = \(name) AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE \(pattern)
                    """)
                let waiting = try rows.first?.decode(String.self)
                guard waiting != event else { return }
                guard .now < deadline else {
                    throw TestStore.Missing("a statement in \(event ?? "no state"); it was in \(waiting ?? "none")")
                }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// Terminates the connections with such statements, as a database shutdown would.
    public func cut(statementLike pattern: String) async throws {
        let rows = try await asking { connection in
            try await connection.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = \(name) AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE \(pattern)
                """)
        }
        guard !rows.isEmpty else { throw TestStore.Missing("a statement like \(pattern)") }
    }

    /// Uses a new connection: while a statement waits for its reader no database can be dropped, so the other
    /// connections are used by the tests that drop theirs.
    private func asking<Value: Sendable>(_ body: (Connection) async throws -> Value) async throws -> Value {
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

    /// Drops the database and terminates its connections.
    public func drop() async throws {
        try await maintenance.execute("DROP DATABASE IF EXISTS \(identifier: name) WITH (FORCE)")
    }
}
