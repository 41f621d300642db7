import Foundation
import Postgres
import Store
import Synchronization

/// A PostgreSQL server for tests, in a temporary folder and on a Unix socket. A test can stop, kill and restart it.
///
/// A small shell process waits until the test process has ended for any reason, and then removes the server.
public final class TestServer: Sendable {
    public let folder: String
    private let binaries: String
    /// The prefix that starts a command as the server's user, because PostgreSQL refuses root.
    private let prefix: [String]

    private init(folder: String, binaries: String, prefix: [String]) {
        self.folder = folder
        self.binaries = binaries
        self.prefix = prefix
    }

    /// Creates a new cluster and starts it.
    ///
    /// - Parameters:
    ///   - logsStatements: Whether every statement is logged, for `statements()`.
    ///   - commitsSynchronously: Whether a commit is acknowledged only after it was written, as by default in
    ///     PostgreSQL. Otherwise replicas get it later.
    public static func start(
        logsStatements: Bool = false, commitsSynchronously: Bool = false
    ) async throws -> TestServer {
        let server = try makeEmpty()
        try await server.run(
            "initdb", "-D", "\(server.folder)/data", "-U", "postgres", "--encoding=UTF8", "--locale=C.UTF-8",
            "--auth=trust", "-N")
        try server.append(
            """
            listen_addresses = ''
            unix_socket_directories = '\(server.folder)'
            max_connections = 200
            fsync = off
            synchronous_commit = \(commitsSynchronously ? "on" : "off")
            full_page_writes = off
            shared_buffers = 64MB
            max_wal_size = 1GB
            autovacuum_naptime = 10min
            log_statement = '\(logsStatements ? "all" : "none")'

            """)
        try await server.restart()
        return server
    }

    /// Makes a streaming replica of this server and starts it. It logs every statement.
    ///
    /// - Parameter settings: Further lines of its `postgresql.conf`.
    public func makeReplica(settings: String = "") async throws -> TestServer {
        let replica = try Self.makeEmpty()
        try await run(
            "pg_basebackup", "--dbname=\(url())", "-D", "\(replica.folder)/data", "--checkpoint=fast", "--no-sync",
            "--write-recovery-conf")
        try replica.append(
            """
            unix_socket_directories = '\(replica.folder)'
            hot_standby_feedback = on
            wal_receiver_status_interval = 1s
            wal_retrieve_retry_interval = 100ms
            log_statement = 'all'
            \(settings)

            """)
        try await replica.restart()
        return replica
    }

    /// Makes the replica a primary, and returns once it accepts writes.
    public func promote() async throws { try await run("pg_ctl", "-D", "\(folder)/data", "-w", "promote") }

    /// Adds lines to the server's settings, which its next start reads.
    public func append(_ settings: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(folder)/data/postgresql.conf"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(settings.utf8))
        try file.close()
    }

    /// Makes the folder of a new server, which belongs to the server's user.
    private static func makeEmpty() throws -> TestServer {
        let name = String(UInt32.random(in: 0...UInt32.max), radix: 36)
        let folder = "\(TemporaryFolder.parent)/pg-\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        var prefix: [String] = []
        if getuid() == 0 {
            guard let user = getpwnam("postgres") ?? getpwnam("nobody") else {
                throw TestServerFailure(reason: "there is neither a user postgres nor nobody")
            }
            let (uid, gid) = (user.pointee.pw_uid, user.pointee.pw_gid)
            guard chown(folder, uid, gid) == 0 else { throw TestServerFailure(reason: "chown \(folder) failed") }
            prefix = ["/usr/bin/setpriv", "--reuid=\(uid)", "--regid=\(gid)", "--clear-groups", "--"]
        }
        let server = TestServer(folder: folder, binaries: try PostgresBinaries.folder(), prefix: prefix)
        try server.watch()
        return server
    }

    /// A migrated database of this server, for a store.
    public func database() async throws -> TestDatabase {
        let maintenance = Pool(PostgresConfiguration(url: url(), applicationName: "tests"), size: 1)
        try await maintenance.execute("CREATE DATABASE afterword")
        try await Migrator().migrate(url: url(database: "afterword"))
        return TestDatabase(name: "afterword", url: url(database: "afterword"), maintenance: maintenance)
    }

    /// The database `afterword` of this server, or of its replica once the replica is promoted.
    public func database(onFailOverAt replica: TestServer) -> TestDatabase {
        func url(_ database: String) -> String {
            "postgresql:///\(database)?host=\(folder),\(replica.folder)&user=postgres&target_session_attrs=read-write"
        }
        let maintenance = Pool(PostgresConfiguration(url: url("postgres"), applicationName: "tests"), size: 1)
        return TestDatabase(name: "afterword", url: url("afterword"), maintenance: maintenance)
    }

    /// The statements logged so far.
    public func statements() throws -> [Substring] {
        try String(contentsOfFile: folder + "/log", encoding: .utf8).split(separator: "\n")
            .filter { $0.contains("LOG:  statement: ") || $0.contains("LOG:  execute ") }
    }

    public func url(database: String = "postgres") -> String {
        "postgresql:///\(database)?host=\(folder)&user=postgres"
    }

    /// Starts the server after a stop or a kill.
    public func restart() async throws {
        try await run("pg_ctl", "-D", "\(folder)/data", "-l", "\(folder)/log", "-w", "-t", "30", "start")
    }

    /// Stops the server and ends its connections.
    public func stop() async throws {
        try await run("pg_ctl", "-D", "\(folder)/data", "-m", "fast", "-w", "stop")
    }

    /// Suspends the postmaster and all its children until `thaw()`, so that the database hangs.
    public func freeze() throws { try signal(SIGSTOP) }

    public func thaw() throws { try signal(SIGCONT) }

    @discardableResult
    private func signal(_ signal: Int32) throws -> (postmaster: Int32, children: [Int32]) {
        let postmaster = try processID()
        let children = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
            .filter { TestServer.parent(of: $0) == postmaster }
        for process in [postmaster] + children { _ = Foundation.kill(process, signal) }
        return (postmaster, children)
    }

    /// Kills the postmaster and all its children without a shutdown, as in a crash.
    public func kill() async throws {
        let (postmaster, children) = try signal(SIGKILL)
        while ([postmaster] + children).contains(where: { Foundation.kill($0, 0) == 0 && !TestServer.isZombie($0) }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        // A dead postmaster that is not reaped would still count as running.
        for lock in ["data/postmaster.pid", ".s.PGSQL.5432.lock"] {
            try FileManager.default.removeItem(atPath: "\(folder)/\(lock)")
        }
    }

    /// Makes a folder that belongs to the server's user.
    func makeFolder(_ path: String) async throws {
        try await Command.run(prefix + ["/bin/mkdir", path], log: "\(folder)/mkdir.out")
    }

    /// Runs another program as the server's user.
    func launch(_ program: String, _ arguments: String...) async throws {
        let name = URL(fileURLWithPath: program).lastPathComponent
        try await Command.run(prefix + [program] + arguments, log: "\(folder)/\(name).out")
    }

    /// Stops the server permanently and removes its folder.
    public func remove() async {
        try? await run("pg_ctl", "-D", "\(folder)/data", "-m", "immediate", "-w", "stop")
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func processID() throws -> Int32 {
        let text = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        guard let pid = text.split(separator: "\n").first.flatMap({ Int32($0) }) else {
            throw TestServerFailure(reason: "postmaster.pid contains no process id")
        }
        return pid
    }

    /// The fields of /proc/…/stat after the command's name: state, parent, ….
    private static func status(of process: Int32) -> [Substring] {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return [] }
        return text[text.index(after: name)...].split(separator: " ")
    }

    private static func parent(of process: Int32) -> Int32? {
        status(of: process).dropFirst().first.flatMap { Int32($0) }
    }

    private static func isZombie(_ process: Int32) -> Bool {
        status(of: process).first.map { $0 == "Z" } ?? true
    }

    private func watch() throws {
        let script = """
            tail --pid="$1" -s 0.3 -f /dev/null
            [ -f "$2/data/postmaster.pid" ] && kill -QUIT "$(head -n 1 "$2/data/postmaster.pid")" 2>/dev/null
            for _ in 1 2 3 4 5 6 7 8 9 10; do [ -f "$2/data/postmaster.pid" ] && sleep 0.1; done
            rm -rf "$2"
            """
        let watchdog = try Command.launch(["/bin/sh", "-c", script, "sh", "\(getpid())", folder])
        Thread.detachNewThread { _ = Command.wait(for: watchdog) }
    }

    private func run(_ program: String, _ arguments: String...) async throws {
        try await Command.run(prefix + ["\(binaries)/\(program)"] + arguments, log: "\(folder)/\(program).out")
    }
}

public struct TestServerFailure: Error, CustomStringConvertible {
    public var reason: String
    public var description: String { reason }
}

/// Finds the folder of `initdb` and `pg_ctl`.
enum PostgresBinaries {
    static func folder() throws -> String {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let newestFirst = versions.compactMap { Int($0) }.sorted(by: >).map { "/usr/lib/postgresql/\($0)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        guard
            let folder = (newestFirst + path).first(where: {
                FileManager.default.isExecutableFile(atPath: "\($0)/initdb")
            })
        else { throw TestServerFailure(reason: "no initdb found: install the package postgresql") }
        return folder
    }
}
