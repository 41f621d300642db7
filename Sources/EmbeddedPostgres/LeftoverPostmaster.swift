import Foundation
import Logging

/// The remains of a cluster whose service was killed.
struct LeftoverPostmaster: Sendable {
    let folder: ClusterFolder
    let logger: Logger

    /// Stops a PostgreSQL that is still running and removes a stale pid file. Returns true if there was either.
    ///
    /// An orphan is stopped rather than adopted: only a parent is notified of its end, and its settings may be
    /// outdated.
    func clear() async throws(EmbeddedPostgresError) -> Bool {
        guard let file = PostmasterFile(in: folder) else { return false }
        if PostmasterFile.isPostmaster(file.pid, of: folder) {
            logger.warning("Stopping a PostgreSQL left by an earlier service", metadata: ["pid": "\(file.pid)"])
            try await stop(file.pid)
        } else {
            logger.warning("Recovering a PostgreSQL that did not stop cleanly", metadata: ["pid": "\(file.pid)"])
            // PostgreSQL itself removes the file of a dead process, but refuses to when another process has the same
            // pid. In either case it checks by the folder whether an old backend still uses the shared memory.
            if kill(file.pid, 0) == 0 || errno == EPERM { unlink(PostmasterFile.path(in: folder)) }
        }
        SocketFolder.discardLeftover(file.socketFolder)
        return true
    }

    private func stop(_ pid: Int32) async throws(EmbeddedPostgresError) {
        for (signal, timeout) in [(SIGINT, Duration.seconds(60)), (SIGQUIT, .seconds(10))] {
            kill(pid, signal)
            let deadline = ContinuousClock.now + timeout
            while ContinuousClock.now < deadline {
                guard PostmasterFile.isPostmaster(pid, of: folder) else { return }
                do { try await Task.sleep(for: .milliseconds(10)) } catch { throw .interrupted }
            }
        }
        throw .orphanStays(pid: pid)
    }
}
