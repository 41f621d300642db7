import Foundation

/// PgBouncer in front of a test server, on a Unix socket. It ends with the test process unless a test stops it earlier.
public final class TestPooler: Sendable {
    private let folder: String

    /// - Parameters:
    /// - server: The server whose user runs PgBouncer.
    /// - database: A database of the server that PgBouncer connects to; nil for `server`.
    /// - mode: PgBouncer's `pool_mode`.
    /// - size: The largest number of connections to a database.
    /// - user: The user of these connections.
    public init(
        _ server: TestServer, to database: TestDatabase? = nil, mode: String = "transaction", size: Int = 4,
        user: String = "postgres"
    ) async throws {
        let address = database.flatMap { URLComponents(string: $0.url) }
        let host = address?.host.flatMap { $0.isEmpty ? nil : "\($0) port=\(address?.port ?? 5432)" } ?? server.folder
        folder = "\(server.folder)/pooler-\(UInt32.random(in: 0...UInt32.max))"
        try await server.makeFolder(folder)
        // The connections to the server are used by turns. Code that relies on the state of a session soon fails.
        let settings = """
            [databases]
            * = host=\(host) user=\(user)
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(folder)
            auth_type = any
            pool_mode = \(mode)
            default_pool_size = \(size)
            max_client_conn = 500
            server_round_robin = 1
            server_reset_query =
            pidfile = \(folder)/pid
            logfile = \(folder)/log

            """
        try Data(settings.utf8).write(to: URL(fileURLWithPath: "\(folder)/settings"))
        try await restart(server)
        let script = """
            tail --pid="$1" -s 0.3 -f /dev/null
            kill "$(cat "$2")" 2>/dev/null
            """
        let watchdog = try Command.launch(["/bin/sh", "-c", script, "sh", "\(getpid())", "\(folder)/pid"])
        Thread.detachNewThread { _ = Command.wait(for: watchdog) }
    }

    /// Starts PgBouncer, after a stop or for the first time.
    public func restart(_ server: TestServer) async throws {
        let (socket, pid) = ("\(folder)/.s.PGSQL.6432", "\(folder)/pid")
        try await eventually("the previous process has ended") { !FileManager.default.fileExists(atPath: pid) }
        try await server.launch("/usr/sbin/pgbouncer", "-q", "-d", "\(folder)/settings")
        try await eventually("PgBouncer listens") { FileManager.default.fileExists(atPath: socket) }
    }

    public func url(database: String) -> String {
        "postgresql:///\(database)?host=\(folder)&port=6432&user=postgres"
    }

    /// Ends PgBouncer and its connections.
    public func stop() async throws {
        let text = try String(contentsOfFile: "\(folder)/pid", encoding: .utf8)
        guard let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)), kill(pid, SIGTERM) == 0 else {
            throw TestServerFailure(reason: "PgBouncer cannot be stopped: \(text), errno \(errno)")
        }
        try await eventually("PgBouncer ends") { !FileManager.default.fileExists(atPath: "\(folder)/pid") }
    }
}
