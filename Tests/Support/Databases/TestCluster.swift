import Foundation
import Postgres

/// The PostgreSQL server that all tests of a process share, started on first use and removed with the process.
public enum TestCluster {
    private static let shared = Shared()

    /// The URL of the maintenance database.
    public static func url() async throws -> String {
        try await shared.server().url()
    }

    /// Whether all stores of the tests use PgBouncer, as requested by `AFTERWORD_TEST_POOLER=1`.
    public static let usesPooler = ProcessInfo.processInfo.environment["AFTERWORD_TEST_POOLER"] != nil

    /// Whether all stores of the tests read from a replica, as requested by `AFTERWORD_TEST_REPLICA=1`.
    public static let usesReplica = ProcessInfo.processInfo.environment["AFTERWORD_TEST_REPLICA"] != nil

    /// Whether the tables of all stores are distributed over a Citus cluster, as requested by `AFTERWORD_TEST_CITUS_URL`.
    /// Tests that start a server of their own use it without Citus.
    public static let usesCitus = TestCitus.url != nil

    /// Whether all stores of the tests send submissions to the workers of that cluster without the coordinator, as
    /// requested by `AFTERWORD_TEST_CITUS_WORKERS=1`.
    public static let usesWorkers = ProcessInfo.processInfo.environment["AFTERWORD_TEST_CITUS_WORKERS"] != nil

    /// The URL of a database on the replica; nil without a replica and on a test's own server.
    static func replicaURL(of database: TestDatabase) async throws -> String? {
        guard usesReplica, try await shared.server().url(database: database.name) == database.url else { return nil }
        return try await shared.startedReplica().url(database: database.name)
    }

    /// The URL by which stores reach a database through PgBouncer; nil without PgBouncer and on a test's own server.
    static func poolerURL(of database: TestDatabase) async throws -> String? {
        guard usesPooler, try await shared.server().url(database: database.name) == database.url else { return nil }
        return try await shared.startedPooler().url(database: database.name)
    }

    /// The server, for a test that starts its own pooler.
    public static func server() async throws -> TestServer { try await shared.server() }

    /// A new database for one test: empty, or a copy of a template.
    public static func database(template: String? = nil) async throws -> TestDatabase {
        try await shared.database(template: template)
    }

    /// Creates a database for `database(template:)` to copy. Only the first call for a name creates it; the others
    /// wait.
    ///
    /// `prepare` must leave no connection open, because a template in use cannot be copied.
    public static func template(
        named name: String, prepare: @escaping @Sendable (_ url: String) async throws -> Void
    ) async throws {
        try await shared.template(named: name, prepare: prepare)
    }
}

private actor Shared {
    private var starting: Task<(TestServer, Pool), any Error>?
    private var templates: [String: Task<Void, any Error>] = [:]
    private var databaseCount = 0
    private var startingPooler: Task<TestPooler, any Error>?
    private var startingReplica: Task<TestServer, any Error>?
    private let citus = TestCitus.url.map(TestCitus.init)

    private func started() async throws -> (TestServer, Pool) {
        if starting == nil {
            starting = Task {
                let server = try await TestServer.start(commitsSynchronously: TestCluster.usesReplica)
                let configuration = PostgresConfiguration(url: server.url(), applicationName: "tests")
                return (server, Pool(configuration, size: 2, acquireTimeout: .seconds(120)))
            }
        }
        guard let starting else { throw TestServerFailure(reason: "the shared server is not starting") }
        return try await starting.value
    }

    func server() async throws -> TestServer { try await started().0 }

    func startedReplica() async throws -> TestServer {
        let task = startingReplica ?? Task { try await started().0.makeReplica() }
        startingReplica = task
        return try await task.value
    }

    func startedPooler() async throws -> TestPooler {
        let task =
            startingPooler
            ?? Task {
                let (server, pool) = try await started()
                // The template's migration has created the role `afterword_app`.
                try await pool.execute("CREATE ROLE afterword_web LOGIN IN ROLE afterword_app")
                return try await TestPooler(server, size: 12, user: "afterword_web")
            }
        startingPooler = task
        return try await task.value
    }

    func database(template: String?) async throws -> TestDatabase {
        if let template, let citus { return try await citus.database(template: template) }
        databaseCount += 1
        let name = "test_\(databaseCount)"
        let (server, pool) = try await started()
        // Most of a template is catalogs; copying their files takes half as long as writing their pages to the log.
        let source: Statement = template.map { " TEMPLATE \(identifier: $0) STRATEGY file_copy" } ?? ""
        try await pool.execute("CREATE DATABASE \(identifier: name)\(fragment: source)")
        return TestDatabase(name: name, url: server.url(database: name), maintenance: pool)
    }

    func template(named name: String, prepare: @escaping @Sendable (String) async throws -> Void) async throws {
        if templates[name] == nil {
            templates[name] = Task {
                if let citus { return try await citus.template(named: name, prepare: prepare) }
                let (server, pool) = try await started()
                try await pool.execute("CREATE DATABASE \(identifier: name)")
                try await prepare(server.url(database: name))
                // The process of a closed connection may take a moment to exit and would prevent the copy.
                let termination: Statement = """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = \(name)
                    """
                try await pool.query(termination)
            }
        }
        try await templates[name]?.value
    }
}
