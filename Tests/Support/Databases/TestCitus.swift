import Foundation
import Postgres
import Store

/// A running Citus cluster on which the tests create their databases, named by `AFTERWORD_TEST_CITUS_URL`: the URL of
/// a maintenance database on the coordinator, to which the workers have been added. It names a superuser, who can reach
/// every server without a password.
///
/// Databases of an earlier run are dropped, so one process at a time uses the cluster.
actor TestCitus {
    static let url = ProcessInfo.processInfo.environment["AFTERWORD_TEST_CITUS_URL"]

    private struct Server {
        var url: URLComponents
        var pool: Pool

        func url(of database: String) -> String {
            var url = url
            url.path = "/\(database)"
            return url.string ?? ""
        }
    }

    private static let prefix = "afterword_test_"

    private let url: String
    private var starting: Task<[Server], any Error>?
    private var count = 0

    init(url: String) { self.url = url }

    /// The coordinator, followed by the workers.
    private func servers() async throws -> [Server] {
        let task = starting ?? Task { try await Self.connect(url) }
        starting = task
        return try await task.value
    }

    private static func connect(_ url: String) async throws -> [Server] {
        guard let components = URLComponents(string: url) else {
            throw TestServerFailure(reason: "AFTERWORD_TEST_CITUS_URL is no URL")
        }
        func server(_ url: URLComponents) -> Server {
            let configuration = PostgresConfiguration(url: url.string ?? "", applicationName: "tests")
            return Server(url: url, pool: Pool(configuration, size: 2, acquireTimeout: .seconds(120)))
        }
        let coordinator = server(components)
        let nodes = try await coordinator.pool.query(
            "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY groupid")
        let workers = try nodes.map { row -> Server in
            var url = components
            url.path = "/postgres"
            let (host, port) = try row.decode(String.self, Int.self)
            url.host = host
            url.port = port
            return server(url)
        }
        for server in [coordinator] + workers {
            let leftovers = try await server.pool.query(
                "SELECT datname::text FROM pg_database WHERE starts_with(datname, \(prefix))")
            for row in leftovers {
                try await server.pool.execute(
                    "DROP DATABASE IF EXISTS \(identifier: try row.decode(String.self)) WITH (FORCE)")
            }
        }
        return [coordinator] + workers
    }

    /// A copy of a template on every server. The metadata of Citus is a part of the copy. The settings of the template
    /// are not, so they are made again.
    func database(template: String) async throws -> TestDatabase {
        count += 1
        let name = "\(Self.prefix)\(count)"
        let servers = try await servers()
        for server in servers {
            try await disconnect(Self.prefix + template, at: server)
            try await server.pool.execute(
                """
                CREATE DATABASE \(identifier: name) TEMPLATE \(identifier: Self.prefix + template) STRATEGY file_copy
                """)
        }
        let settings = try await servers[0].pool.query(
            """
            SELECT split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)
            FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) AS setting
            WHERE d.datname = \(Self.prefix + template) AND s.setrole = 0
            """)
        for row in settings {
            let (setting, value) = try row.decode(String.self, String.self)
            try await servers[0].pool.execute(
                """
                ALTER DATABASE \(identifier: name) SET \(fragment: .init(unsafeSQL: setting)) = \(identifier: value)
                """)
        }
        return TestDatabase(
            name: name, url: servers[0].url(of: name), maintenance: servers[0].pool,
            workers: servers.dropFirst().map { ($0.pool, $0.url(of: name)) })
    }

    func template(named template: String, prepare: @Sendable (_ url: String) async throws -> Void) async throws {
        let name = Self.prefix + template
        let servers = try await servers()
        for server in servers {
            try await server.pool.execute("CREATE DATABASE \(identifier: name)")
            try await run("CREATE EXTENSION citus", at: server.url(of: name))
        }
        let hosts = servers.map { ($0.url.host ?? "", $0.url.port ?? 5432) }
        try await run("SELECT citus_set_coordinator_host('\(hosts[0].0)', \(hosts[0].1))", at: servers[0].url(of: name))
        for (host, port) in hosts.dropFirst() {
            try await run("SELECT citus_add_node('\(host)', \(port))", at: servers[0].url(of: name))
        }
        try await prepare(servers[0].url(of: name))
        _ = try await Migrator().migrateAndDistribute(url: servers[0].url(of: name))
    }

    private func run(_ script: String, at url: String) async throws {
        try await Connection.with(PostgresConfiguration(url: url)) { try await $0.script(script) }
    }

    /// Ends what is connected to a database, such as the maintenance daemon of Citus, because a database in use cannot
    /// be copied.
    private func disconnect(_ database: String, at server: Server) async throws {
        try await server.pool.query(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = \(database)")
    }
}
