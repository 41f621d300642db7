import Foundation

/// The lock files of a postmaster that has ended: `postmaster.pid`, and the lock file of its socket.
///
/// PostgreSQL replaces the lock file of a dead process. But it refuses to start while any process of its user has the
/// pid in that file, which can happen after a reboot, in a container, or until a killed process is reaped. It also
/// refuses if the file is empty, as after a kill or on a full disk.
struct StaleLockFiles: Sendable {
    let folder: ClusterFolder
    /// The folder of the socket.
    let sockets: String
    var identify: @Sendable (PostmasterFile, ClusterFolder) -> PostmasterProcess.Identity = PostmasterProcess.identity

    /// Removes the files that would prevent a start. The caller must hold the lock of the data folder.
    ///
    /// That lock excludes other services, but not a PostgreSQL that a killed service started a moment ago, nor one that
    /// was started by hand. Their files are kept, and so are those of a process that might be a PostgreSQL.
    func remove() {
        let socketLock = SocketFolder.lock(in: sockets)
        if !isUsed(PostmasterFile(path: socketLock)) { unlink(socketLock) }
        let path = PostmasterFile.path(in: folder)
        guard let file = PostmasterFile(path: path) else {
            // A file that is not empty but has no valid pid belongs to a single-user PostgreSQL.
            if FileStatus(path)?.size == 0 { unlink(path) }
            return
        }
        // The file of a dead process is kept, because it names the shared memory that old backends may still use. If
        // the file has to be removed, PostgreSQL finds that memory by the folder.
        if kill(file.pid, 0) == 0 || errno == EPERM, !isUsed(file) { unlink(path) }
    }

    private func isUsed(_ file: PostmasterFile?) -> Bool {
        file.map { identify($0, folder) != .other } ?? false
    }
}
