import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What an earlier service that was killed has left of its cluster.
struct LeftoverPostmaster: Sendable {
    let folder: ClusterFolder
    let logger: Logger

    /// Stops a PostgreSQL that still runs and clears a stale pid file; true when there was anything.
    ///
    /// An orphan is stopped and not adopted: only a child's end is told to us, and its settings may be old.
    func clear() async throws(EmbeddedPostgresError) -> Bool {
        guard let file = PostmasterFile(in: folder) else { return false }
        if PostmasterFile.isPostmaster(file.pid, of: folder) {
            logger.warning("stopping the PostgreSQL an earlier service left", metadata: ["pid": "\(file.pid)"])
            try await stop(file.pid)
        } else {
            logger.warning("recovering a PostgreSQL that did not stop cleanly", metadata: ["pid": "\(file.pid)"])
            // PostgreSQL clears the file of a dead process itself, and refuses to when the number lives on as a
            // stranger's. Whether an old backend still uses the memory it checks by the folder either way.
            if kill(file.pid, 0) == 0 || errno == EPERM { unlink(PostmasterFile.path(in: folder)) }
        }
        SocketFolder.discardLeftover(file.socketFolder)
        return true
    }

    private func stop(_ pid: Int32) async throws(EmbeddedPostgresError) {
        for (signal, patience) in [(SIGINT, Duration.seconds(60)), (SIGQUIT, .seconds(10))] {
            kill(pid, signal)
            let deadline = ContinuousClock.now + patience
            while ContinuousClock.now < deadline {
                guard PostmasterFile.isPostmaster(pid, of: folder) else { return }
                do { try await Task.sleep(for: .milliseconds(10)) } catch { throw .interrupted }
            }
        }
        throw .orphanStays(pid: pid)
    }
}
