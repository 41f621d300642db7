import Logging
import ServiceLifecycle

/// A private PostgreSQL in the service's data folder, reached by a Unix socket only.
///
/// It is created at the first start (in about a second), started in about a tenth of a second afterwards, and stopped
/// with the service. In a service group it must be first, so that it is stopped last.
public actor EmbeddedPostgres: Service {
    /// The time during which a failed start after a crash is repeated.
    private static let retryTime: Duration = .seconds(10)
    /// The longest pause before a repetition, which delays a recovery by as much.
    private static let maxPause: Duration = .milliseconds(200)

    private let path: String
    private let logger: Logger
    private let search: PostgresSearch
    private var running: Running?
    private var isStopping = false

    private struct Running {
        let lock: FolderLock
        let folder: ClusterFolder
        let sockets: SocketFolder
        let command: Command
        var postmaster: Postmaster
    }

    private enum Event {
        case shutdown
        case ended(String)
    }

    /// - Parameter folder: The service's data folder. The cluster is in the subfolder `postgres`.
    public init(folder: String, logger: Logger) {
        self.init(folder: folder, logger: logger, search: PostgresSearch())
    }

    init(folder: String, logger: Logger, search: PostgresSearch) {
        path = folder
        self.logger = logger
        self.search = search
    }

    /// Returns the URL of the cluster in `folder` if another process, such as `serve`, is running it. Otherwise returns
    /// nil.
    ///
    /// Waits at most half a minute for a cluster that is starting.
    public static func attach(folder: String) async -> String? {
        guard let folder = ClusterFolder(existing: folder) else { return nil }
        let deadline = ContinuousClock.now + .seconds(30)
        while FolderLock.isHeld(folder), ContinuousClock.now < deadline {
            if let file = PostmasterFile(in: folder), file.isReady,
                PostmasterProcess.identity(of: file, for: folder) == .postmaster
            {
                return ClusterSettings.url(socketFolder: file.socketFolder)
            }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { return nil }
        }
        return nil
    }

    /// Returns the URL of the same database for another user, such as a role of the service.
    ///
    /// - Parameter url: A URL that this type has returned.
    public static func url(_ url: String, as user: String) -> String {
        url.hasSuffix(ClusterSettings.superuser) ? url.dropLast(ClusterSettings.superuser.count) + user : url
    }

    /// Throws unless `folder` contains a cluster. Creates nothing, so that a mistyped path does not become a data
    /// folder.
    public static func requireCluster(in folder: String) throws(EmbeddedPostgresError) {
        try ClusterFolder.require(folder)
    }

    /// Starts the cluster, after creating or recovering it if necessary, and returns the URL of its database once it
    /// accepts connections.
    public func start() async throws(EmbeddedPostgresError) -> String {
        if let running { return ClusterSettings.url(socketFolder: running.sockets.path) }
        isStopping = false
        let folder = try ClusterFolder.prepare(path)
        let lock = try await FolderLock.take(folder)
        let user = try ClusterUser.choose(for: folder)
        try await user.requireAccess(to: folder)
        let major = try folder.major()
        let binaries = try await search.require(major, for: folder)
        let recovers = try await LeftoverPostmaster(folder: folder, logger: logger).clear()
        if major == nil {
            logger.info("Creating a PostgreSQL cluster", metadata: ["folder": "\(folder.data)"])
            try await ClusterCreation(folder: folder, user: user, binaries: binaries).run()
        }
        let sockets = try SocketFolder(in: folder, for: user)
        let settings = ClusterSettings(folder: folder, user: user, socketFolder: sockets.path)
        do throws(EmbeddedPostgresError) {
            try settings.writeAccessRules()
            let command = user.command(binaries.path("postgres"), settings.arguments)
            let postmaster = try await launch(command, in: folder, sockets, recovers: recovers)
            running = Running(
                lock: lock, folder: folder, sockets: sockets, command: command, postmaster: postmaster)
        } catch {
            sockets.discard()
            throw error
        }
        return ClusterSettings.url(socketFolder: sockets.path)
    }

    /// Ends all connections, stops the cluster cleanly and releases the folder.
    public func stop() async {
        isStopping = true
        guard let running else { return }
        await running.postmaster.stop()
        running.sockets.discard()
        self.running = nil
    }

    /// Starts the cluster unless it is running, and supervises it until the graceful shutdown.
    ///
    /// A PostgreSQL that ends unexpectedly is started again, but not if this happens twice within five minutes.
    public func run() async throws {
        do {
            _ = try await start()
            try await supervise()
        } catch {
            await stop()
            throw error
        }
        await stop()
    }

    private func supervise() async throws(EmbeddedPostgresError) {
        var lastEnd: ContinuousClock.Instant?
        while let current = running, !isStopping {
            guard case .ended(let status) = await nextEvent(current.postmaster), !isStopping else { return }
            logger.error(
                "PostgreSQL ended unexpectedly", metadata: ["status": "\(status)", "log": "\(current.folder.log)"])
            if let lastEnd, lastEnd.duration(to: .now) < .seconds(300) {
                throw .keepsStopping(log: current.folder.log)
            }
            lastEnd = .now
            let postmaster = try await launch(current.command, in: current.folder, current.sockets, recovers: true)
            running?.postmaster = postmaster
            if isStopping { return await postmaster.stop() }
            logger.notice("PostgreSQL is running again", metadata: ["pid": "\(postmaster.pid)"])
        }
    }

    /// Returns the next event. In case of a shutdown, the postmaster has stopped when this returns.
    private func nextEvent(_ postmaster: Postmaster) async -> Event {
        await withTaskGroup(of: Event.self) { group in
            group.addTask {
                try? await gracefulShutdown()
                return .shutdown
            }
            group.addTask { .ended(await postmaster.exit.value) }
            let first = await group.next() ?? .shutdown
            if case .shutdown = first { await stop() }
            group.cancelAll()
            return first
        }
    }

    private func launch(
        _ command: Command, in folder: ClusterFolder, _ sockets: SocketFolder, recovers: Bool
    ) async throws(EmbeddedPostgresError) -> Postmaster {
        // After a crash, old backends may still hold the shared memory for a moment. PostgreSQL refuses to start until
        // they have ended.
        var deadline: ContinuousClock.Instant?
        var pause = Duration.milliseconds(25)
        while true {
            StaleLockFiles(folder: folder, sockets: sockets.path).remove()
            let postmaster = try await Postmaster.launch(command, in: folder)
            do throws(EmbeddedPostgresError) {
                try await postmaster.waitUntilReady(logger: logger)
                return postmaster
            } catch {
                let end = deadline ?? .now + Self.retryTime
                deadline = end
                guard case .startFailed = error, recovers, .now < end else {
                    await postmaster.stop()
                    throw error
                }
            }
            do { try await Task.sleep(for: pause) } catch { throw .interrupted }
            pause = min(pause * 2, Self.maxPause)
        }
    }
}
