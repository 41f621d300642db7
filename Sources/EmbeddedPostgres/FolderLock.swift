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

/// The claim of one process on a data folder: a locked file with its pid.
///
/// The system drops the lock with the process, however it ends, so a stale file never stops a start. The file stays:
/// removing it would let two processes lock two files of one name.
final class FolderLock: Sendable {
    private let descriptor: CInt

    private init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        ftruncate(descriptor, 0)
        // A child that is just being forked has a copy of the descriptor until its program starts.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    static func take(_ folder: ClusterFolder) async throws(EmbeddedPostgresError) -> FolderLock {
        let descriptor = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else {
            throw .folderUnusable(path: folder.path, reason: SystemReason.current.description)
        }
        // `isHeld` of a passing command holds the lock for an instant: that is no refusal.
        for attempt in 1... {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { break }
            if attempt == 5 {
                close(descriptor)
                throw .folderInUse(folder: folder.path, pid: holder(folder))
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        ftruncate(descriptor, 0)
        let text = "\(getpid())\n"
        _ = text.withCString { pwrite(descriptor, $0, text.utf8.count, 0) }
        return FolderLock(descriptor: descriptor)
    }

    /// Whether a living process, this one included, has taken the folder.
    static func isHeld(_ folder: ClusterFolder) -> Bool {
        let descriptor = open(folder.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private static func holder(_ folder: ClusterFolder) -> Int32? {
        guard let text = try? String(contentsOfFile: folder.lock, encoding: .utf8) else { return nil }
        return Int32(text.prefix { $0.isNumber })
    }
}
