import Foundation
import Synchronization

/// A file that is there whole or not at all: written beside its place, synced, renamed over what was there before.
final class AtomicFile: Sendable {
    /// As the person named it.
    private let name: String
    private let path: String
    private let draft: TemporaryReplacement
    private let isOpen = Mutex(true)

    /// Throws when the folder cannot be written to, before any work is done for nothing.
    ///
    /// - Parameter sweeps: whether drafts of it that were left behind are looked for.
    init(_ name: String, sweeps: Bool = true) throws(Failure) {
        var status = stat()
        let exists = stat(name, &status) == 0
        guard !exists || status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("\(name) is no file that could be replaced: name another.", status: .misuse)
        }
        self.name = name
        // A link stays one: what it points to is replaced.
        let path = exists ? Self.resolved(name) : name
        guard let draft = TemporaryReplacement(of: path, sweeps: sweeps) else { throw Self.failure(name, errno) }
        (self.path, self.draft) = (path, draft)
        if exists { fchmod(draft.descriptor, status.st_mode & 0o7777) }
    }

    deinit { discard() }

    func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(draft.descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { throw Self.failure(name, errno) }
            } else {
                rest = rest.dropFirst(count)
            }
        }
    }

    /// After this, and not before, the file is what was written.
    func commit() throws(Failure) {
        guard fsync(draft.descriptor) == 0, draft.takePlace() else { throw Self.failure(name, errno) }
        isOpen.withLock { $0 = false }
        close(draft.descriptor)
        // The name's way to the disk; a file system that cannot has nothing to lose by it.
        let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Leaves everything as it was; does nothing after a commit.
    func discard() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { draft.drop() }
    }

    private static func resolved(_ name: String) -> String {
        guard let real = realpath(name, nil) else { return name }
        defer { free(real) }
        return String(cString: real)
    }

    private static func failure(_ name: String, _ code: Int32) -> Failure {
        Failure(
            "The file \(name) cannot be written (\(String(cString: strerror(code)))): what was there is unchanged; make room "
                + "or name another place.")
    }
}
