import Foundation
import Logging

/// The remains of a cluster whose service was killed.
struct LeftoverPostmaster: Sendable {
    let folder: ClusterFolder
    let logger: Logger

    /// Stops a PostgreSQL that is still running. Returns true if there was one, or a lock file of one.
    ///
    /// An orphan is stopped rather than adopted: only a parent is notified when its child ends, and the orphan's
    /// settings may be outdated.
    func clear() async throws(EmbeddedPostgresError) -> Bool {
        let file = PostmasterFile(in: folder)
        let socketLock = PostmasterFile(path: SocketFolder.lock(in: folder.sockets))
        guard let lockFile = file ?? socketLock else { return false }
        var wasRunning = false
        for file in [file, socketLock].compactMap(\.self) where isRunning(file) {
            logger.warning("Stopping a PostgreSQL left by an earlier service", metadata: ["pid": "\(file.pid)"])
            try await stop(file)
            wasRunning = true
        }
        if !wasRunning {
            logger.warning("Recovering a PostgreSQL that did not stop cleanly", metadata: ["pid": "\(lockFile.pid)"])
        }
        if let file { SocketFolder.discardLeftover(file.socketFolder) }
        return true
    }

    private func isRunning(_ file: PostmasterFile) -> Bool {
        PostmasterProcess.identity(of: file, for: folder) == .postmaster
    }

    private func stop(_ file: PostmasterFile) async throws(EmbeddedPostgresError) {
        for (signal, timeout) in [(SIGINT, Duration.seconds(60)), (SIGQUIT, .seconds(10))] {
            kill(file.pid, signal)
            let deadline = ContinuousClock.now + timeout
            while ContinuousClock.now < deadline {
                guard isRunning(file) else { return }
                do { try await Task.sleep(for: .milliseconds(10)) } catch { throw .interrupted }
            }
        }
        throw .orphanDoesNotStop(pid: file.pid)
    }
}
