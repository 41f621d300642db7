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

    /// Ends whatever still uses it.
    public func drop() async throws {
        try await maintenance.execute("DROP DATABASE IF EXISTS \(identifier: name) WITH (FORCE)")
    }
}
