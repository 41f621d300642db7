import Foundation
import Logging

/// The remains of a cluster whose service was killed.
struct LeftoverPostmaster: Sendable {
    let folder: ClusterFolder
    let logger: Logger

    /// Stops a PostgreSQL that is still running. Returns true if there was one, or a lock file of one.
    ///
    /// An orphan is stopped rather than adopted: only a parent is notified of its end, and its settings may be
    /// outdated.
    func clear() async throws(EmbeddedPostgresError) -> Bool {
        let file = PostmasterFile(in: folder)
        let socketLock = PostmasterFile(path: SocketFolder.lock(in: folder.sockets))
        let pids = Set([file, socketLock].compactMap { $0?.pid })
        guard !pids.isEmpty else { return false }
        let running = pids.filter { PostmasterFile.isPostmaster($0, of: folder) }
        for pid in running {
            logger.warning("Stopping a PostgreSQL left by an earlier service", metadata: ["pid": "\(pid)"])
            try await stop(pid)
        }
        if running.isEmpty, let pid = (file ?? socketLock)?.pid {
            logger.warning("Recovering a PostgreSQL that did not stop cleanly", metadata: ["pid": "\(pid)"])
        }
        if let file { SocketFolder.discardLeftover(file.socketFolder) }
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
