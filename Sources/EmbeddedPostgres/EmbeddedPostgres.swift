import Logging
import ServiceLifecycle

/// A private PostgreSQL in the service's data folder, reachable only through a Unix socket.
///
/// The first start creates the cluster, in about a second. Later starts take about a tenth of a second. The cluster is
/// stopped with the service. In a service group, this service must be first, so that it is stopped last.
public actor EmbeddedPostgres: Service {
    private let path: String
    private let logger: Logger
    private let search: PostgresSearch
    private let disk: DiskSpace
    private var running: Running?
    private var isStopping = false

    private struct Running {
        let lock: FolderLock
        var cluster: StartedCluster
    }

    private enum Event {
        case shutdown
        case ended(String)
    }

    /// - Parameter folder: The service's data folder. The cluster is in the subfolder `postgres`.
    public init(folder: String, logger: Logger) {
        self.init(folder: folder, logger: logger, search: PostgresSearch())
    }

    init(folder: String, logger: Logger, search: PostgresSearch, disk: DiskSpace = DiskSpace()) {
        path = folder
        self.logger = logger
        self.search = search
        self.disk = disk
    }

    /// Returns the URL of the cluster in `folder` if another process, such as `serve`, is running it. Otherwise returns
    /// nil.
    ///
    /// Waits at most half a minute for a cluster that is starting.
    public static func attach(folder: String) async -> String? {
        guard let folder = ClusterFolder(existing: folder) else { return nil }
        let deadline = ContinuousClock.now + .seconds(30)
        while FolderLock.isHeld(folder), ContinuousClock.now < deadline {
            if FolderLock.isHeldForUpgrade(folder) { return nil }
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
        if let running { return running.cluster.url }
        isStopping = false
        let folder = try ClusterFolder.prepare(path)
        let lock = try await FolderLock.take(folder)
        try ClusterSwap(folder: folder).recover()
        let user = try ClusterUser.choose(for: folder)
        try await user.requireAccess(to: folder)
        let binaries = try await search.require(try folder.major(), for: folder)
        // An upgrade that was killed leaves a postmaster that still uses the socket.
        if FileStatus(folder.upgrading.data) != nil {
            _ = try await LeftoverPostmaster(folder: folder.upgrading, logger: logger).clear()
        }
        let cluster = try await StartedCluster.start(folder, user: user, binaries: binaries, logger: logger)
        running = Running(lock: lock, cluster: cluster)
        return cluster.url
    }

    /// Ends all connections, stops the cluster cleanly and releases the folder.
    public func stop() async {
        isStopping = true
        guard let running else { return }
        await running.cluster.stop()
        self.running = nil
    }

    /// Starts the cluster unless it is running, and supervises it until the graceful shutdown.
    ///
    /// A PostgreSQL that ends unexpectedly is started again, but not if this happens twice within five minutes. If it
    /// ends because the disk is full, it is started again once there is space.
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
        while let current = running?.cluster, !isStopping {
            guard case .ended(let status) = await nextEvent(current.postmaster), !isStopping else { return }
            logger.error(
                "PostgreSQL ended unexpectedly", metadata: ["status": "\(status)", "log": "\(current.folder.log)"])
            if disk.isShort(in: current.folder.data) {
                lastEnd = nil
            } else {
                if let lastEnd, lastEnd.duration(to: .now) < .seconds(300) {
                    throw .stoppedRepeatedly(log: current.folder.log)
                }
                lastEnd = .now
            }
            guard let postmaster = try await launchAgain(current) else { return }
            running?.cluster.postmaster = postmaster
            if isStopping { return await postmaster.stop() }
            logger.notice("PostgreSQL is running again", metadata: ["pid": "\(postmaster.pid)"])
        }
    }

    /// Starts the postmaster again, after waiting for disk space if necessary. Returns nil if the service stops first.
    private func launchAgain(_ cluster: StartedCluster) async throws(EmbeddedPostgresError) -> Postmaster? {
        while true {
            try await waitForSpace(in: cluster.folder.data)
            if isStopping || Task.isShuttingDownGracefully { return nil }
            do {
                return try await cluster.launchAgain(logger: logger)
            } catch {
                guard disk.isShort(in: cluster.folder.data) else { throw error }
            }
        }
    }

    private func waitForSpace(in folder: String) async throws(EmbeddedPostgresError) {
        guard disk.isShort(in: folder) else { return }
        logger.error(
            "The disk is full. PostgreSQL starts again when there is space",
            metadata: ["folder": "\(folder)", "needed": "\(DiskSpace.neededBytes >> 20) MiB"])
        while disk.isShort(in: folder), !isStopping, !Task.isShuttingDownGracefully {
            do { try await Task.sleep(for: .milliseconds(200)) } catch { throw .interrupted }
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
}
