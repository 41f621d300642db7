import Logging

/// A running cluster: its postmaster, and the folder of its socket.
struct StartedCluster: Sendable {
    /// The time during which a failed start after a crash is repeated.
    private static let retryTime: Duration = .seconds(10)
    /// The maximum pause between two attempts, and so the maximum delay of a recovery.
    private static let maxPause: Duration = .milliseconds(200)

    let folder: ClusterFolder
    let sockets: SocketFolder
    let command: Command
    var postmaster: Postmaster

    var url: String { ClusterSettings.url(socketFolder: sockets.path) }

    /// Starts the cluster in `folder`, after creating or recovering it if necessary. The caller holds the folder's
    /// lock.
    ///
    /// - Parameter isReadOnly: Whether transactions are read-only by default.
    static func start(
        _ folder: ClusterFolder, user: ClusterUser, binaries: PostgresBinaries, isReadOnly: Bool = false, logger: Logger
    ) async throws(EmbeddedPostgresError) -> StartedCluster {
        let recovers = try await LeftoverPostmaster(folder: folder, logger: logger).clear()
        if try folder.major() == nil {
            logger.info("Creating a PostgreSQL cluster", metadata: ["folder": "\(folder.data)"])
            try await ClusterCreation(folder: folder, user: user, binaries: binaries).run()
        }
        let sockets = try SocketFolder(in: folder, for: user)
        let settings = ClusterSettings(folder: folder, user: user, socketFolder: sockets.path, isReadOnly: isReadOnly)
        do throws(EmbeddedPostgresError) {
            try settings.writeAccessRules()
            let command = user.command(binaries.path("postgres"), settings.arguments)
            let postmaster = try await launch(command, in: folder, sockets, recovers: recovers, logger: logger)
            return StartedCluster(folder: folder, sockets: sockets, command: command, postmaster: postmaster)
        } catch {
            sockets.discard()
            throw error
        }
    }

    /// Ends all connections and stops the cluster cleanly.
    func stop() async {
        await postmaster.stop()
        sockets.discard()
    }

    /// Restarts the postmaster after it ended unexpectedly.
    func launchAgain(logger: Logger) async throws(EmbeddedPostgresError) -> Postmaster {
        try await Self.launch(command, in: folder, sockets, recovers: true, logger: logger)
    }

    private static func launch(
        _ command: Command, in folder: ClusterFolder, _ sockets: SocketFolder, recovers: Bool, logger: Logger
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
                let end = deadline ?? .now + retryTime
                deadline = end
                guard case .startFailed = error, recovers, .now < end else {
                    await postmaster.stop()
                    throw error
                }
            }
            do { try await Task.sleep(for: pause) } catch { throw .interrupted }
            pause = min(pause * 2, maxPause)
        }
    }
}
