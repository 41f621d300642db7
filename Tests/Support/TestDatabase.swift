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

    /// Ends whatever still uses it.
    public func drop() async throws {
        try await maintenance.execute("DROP DATABASE IF EXISTS \(identifier: name) WITH (FORCE)")
    }
}
