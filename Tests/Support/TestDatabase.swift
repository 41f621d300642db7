import Postgres

/// A database of one test. It goes with the cluster; a test that fills it much may drop it earlier.
public final class TestDatabase: Sendable {
    public let name: String
    public let url: String
    private let maintenance: Pool

    init(name: String, url: String, maintenance: Pool) {
        self.name = name
        self.url = url
        self.maintenance = maintenance
    }

    /// Returns when so many of its connections wait for a lock, so that a test knows who has arrived where; throws if they
    /// do not within 20 s. Asked from outside: the service's own role may not see it, and inside a transaction the list
    /// does not grow.
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

    /// What a running statement of the service waits for: `ClientWrite` says that nobody takes what it has read. Nil while
    /// there is none like the pattern.
    public func waiting(statementLike pattern: String) async throws -> String? {
        let rows = try await maintenance.query(
            """
            SELECT coalesce(wait_event, '') FROM pg_stat_activity
            WHERE datname = \(name) AND state = 'active' AND query LIKE \(pattern)
            """)
        return try rows.first?.decode(String.self)
    }

    /// Ends the connections of such statements, as a database does that is stopped.
    public func cut(statementLike pattern: String) async throws {
        let rows = try await maintenance.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = \(name) AND state = 'active' AND query LIKE \(pattern)
            """)
        guard !rows.isEmpty else { throw TestStore.Missing("a statement like \(pattern)") }
    }

    /// Ends whatever still uses it.
    public func drop() async throws {
        try await maintenance.execute("DROP DATABASE IF EXISTS \(identifier: name) WITH (FORCE)")
    }
}
