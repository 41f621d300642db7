import Foundation

/// The lock of one process on a data folder: a locked file that contains its pid.
///
/// The system releases the lock when the process ends, however that happens, so a stale file never prevents a start.
/// The file is not removed: otherwise two processes could lock two files of the same name.
final class FolderLock: Sendable {
    private let descriptor: CInt

    private init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        ftruncate(descriptor, 0)
        // A child that is being forked has a copy of the descriptor until its program starts. With `close` alone, that
        // copy would keep the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static let upgradeMark = " upgrade"

    /// - Parameter isForUpgrade: Whether other commands must not use the cluster meanwhile.
    static func take(
        _ folder: ClusterFolder, isForUpgrade: Bool = false
    ) async throws(EmbeddedPostgresError) -> FolderLock {
        let descriptor = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .unusable(folder.path) }
        // A concurrent `isHeld` of another command holds the lock for an instant, which must not make the start fail.
        for attempt in 1... {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { break }
            if attempt == 5 {
                close(descriptor)
                throw .folderInUse(folder: folder.path, pid: holder(folder))
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        ftruncate(descriptor, 0)
        let text = "\(getpid())\(isForUpgrade ? upgradeMark : "")\n"
        _ = text.withCString { pwrite(descriptor, $0, text.utf8.count, 0) }
        return FolderLock(descriptor: descriptor)
    }

    /// Whether a running process, including this one, holds the lock.
    static func isHeld(_ folder: ClusterFolder) -> Bool {
        let descriptor = open(folder.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Whether the process that holds the lock is upgrading the cluster. Other commands must not use its clusters.
    static func isHeldForUpgrade(_ folder: ClusterFolder) -> Bool {
        let text = (try? String(contentsOfFile: folder.lock, encoding: .utf8)) ?? ""
        return text.hasSuffix(upgradeMark + "\n") && isHeld(folder)
    }

    private static func holder(_ folder: ClusterFolder) -> Int32? {
        guard let text = try? String(contentsOfFile: folder.lock, encoding: .utf8) else { return nil }
        return Int32(text.prefix { $0.isNumber })
    }
}
