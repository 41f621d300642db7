import Postgres

/// The PostgreSQL all tests of a process share; started by the first that asks, gone with the process.
public enum TestCluster {
    private static let shared = Shared()

    /// The maintenance database.
    public static func url() async throws -> String {
        try await shared.server().url()
    }

    /// A database of a test's own: empty, or a copy of a template.
    public static func database(template: String? = nil) async throws -> TestDatabase {
        try await shared.database(template: template)
    }

    /// Makes a database to be copied by `database(template:)`; only the first call for a name does it, the others wait.
    ///
    /// `prepare` leaves no connection behind: a template is copied only while nobody uses it.
    public static func template(
        named name: String, prepare: @escaping @Sendable (_ url: String) async throws -> Void
    ) async throws {
        try await shared.template(named: name, prepare: prepare)
    }
}

private actor Shared {
    private var starting: Task<(TestServer, Pool), any Error>?
    private var templates: [String: Task<Void, any Error>] = [:]
    private var made = 0

    private func started() async throws -> (TestServer, Pool) {
        if starting == nil {
            starting = Task {
                let server = try await TestServer.start()
                let configuration = PostgresConfiguration(url: server.url(), applicationName: "tests")
                return (server, Pool(configuration, size: 2, acquireTimeout: .seconds(120)))
            }
        }
        guard let starting else { throw TestServerFailure(reason: "the shared server is not starting") }
        return try await starting.value
    }

    func server() async throws -> TestServer { try await started().0 }

    func database(template: String?) async throws -> TestDatabase {
        made += 1
        let name = "test_\(made)"
        let (server, pool) = try await started()
        // Most of a template is catalogs: to copy their files takes half of what their pages take in the log.
        let source: Statement = template.map { " TEMPLATE \(identifier: $0) STRATEGY file_copy" } ?? ""
        try await pool.execute("CREATE DATABASE \(identifier: name)\(fragment: source)")
        return TestDatabase(name: name, url: server.url(database: name), maintenance: pool)
    }

    func template(named name: String, prepare: @escaping @Sendable (String) async throws -> Void) async throws {
        if templates[name] == nil {
            templates[name] = Task {
                let (server, pool) = try await started()
                try await pool.execute("CREATE DATABASE \(identifier: name)")
                try await prepare(server.url(database: name))
                // A closed connection's process may take a moment to go, and would stand in the copy's way.
                let users: Statement = """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = \(name)
                    """
                try await pool.query(users)
            }
        }
        try await templates[name]?.value
    }
}
