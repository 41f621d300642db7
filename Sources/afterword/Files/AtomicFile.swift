import Foundation
import Synchronization

/// A file that is replaced atomically: written to a temporary file, synced and renamed.
final class AtomicFile: Sendable {
    /// The path as given by the user.
    private let name: String
    private let path: String
    private let draft: TemporaryReplacement
    private let isOpen = Mutex(true)

    /// Throws if the folder is not writable, before any expensive work.
    ///
    /// - Parameters:
    ///   - sweeps: Whether to delete abandoned temporary files of this path.
    ///   - keepsOwner: Whether the new file must belong to the owner of the existing one, which only root can ensure
    ///     for other users' files.
    init(_ name: String, sweeps: Bool = true, keepsOwner: Bool = false) throws(Failure) {
        var status = stat()
        let exists = stat(name, &status) == 0
        guard !exists || status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("\(name) is not a file that can be replaced: choose another.", status: .misuse)
        }
        self.name = name
        // If the path is a symbolic link, its target is replaced.
        let path = exists ? Self.resolved(name) : name
        guard let draft = TemporaryReplacement(of: path, sweeps: sweeps) else { throw Self.failure(name, errno) }
        (self.path, self.draft) = (path, draft)
        guard exists else { return }
        if keepsOwner, fchown(draft.descriptor, status.st_uid, status.st_gid) != 0 {
            let code = errno
            discard()
            throw Self.failure(name, code)
        }
        fchmod(draft.descriptor, status.st_mode & 0o7777)
    }

    deinit { discard() }

    func write(_ bytes: [UInt8]) throws(Failure) {
        var remaining = bytes[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { Foundation.write(draft.descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { throw Self.failure(name, errno) }
            } else {
                remaining = remaining.dropFirst(count)
            }
        }
    }

    /// Replaces the file. If this fails, the existing file is unchanged.
    func commit() throws(Failure) {
        guard fsync(draft.descriptor) == 0, draft.replaceTarget() else { throw Self.failure(name, errno) }
        isOpen.withLock { $0 = false }
        close(draft.descriptor)
        // Syncs the folder, so that the new name is durable. File systems that can't do this don't need it.
        let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Deletes the temporary file. Does nothing after a commit.
    func discard() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { draft.discard() }
    }

    private static func resolved(_ name: String) -> String {
        guard let real = realpath(name, nil) else { return name }
        defer { free(real) }
        return String(cString: real)
    }

    private static func failure(_ name: String, _ code: Int32) -> Failure {
        Failure(
            "The file \(name) cannot be written (\(String(cString: strerror(code)))): any existing file is "
                + "unchanged; free some disk space or choose another place.")
    }
}
