import Foundation
import Synchronization

/// A file that is there whole or not at all: written beside its place, synced, renamed over what was there before.
final class WholeFile: Sendable {
    /// As the person named it.
    private let name: String
    private let path: String
    private let draft: String
    private let descriptor: Int32
    private let isOpen = Mutex(true)

    /// Throws when the folder cannot be written to, before any work is done for nothing.
    init(_ name: String) throws(Failure) {
        var status = stat()
        let exists = stat(name, &status) == 0
        guard !exists || status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("\(name) is no file that could be replaced: name another.", status: .misuse)
        }
        self.name = name
        // A link stays one: what it points to is replaced.
        let path = exists ? Self.resolved(name) : name
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { path[...$0] } ?? ""
        let file = slash.map { path[path.index(after: $0)...] } ?? path[...]
        self.path = path
        draft = "\(folder).\(file).\(UInt64.random(in: 0...UInt64.max)).part"
        descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure(name, errno) }
        if exists { fchmod(descriptor, status.st_mode & 0o7777) }
    }

    deinit { discard() }

    func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { throw Self.failure(name, errno) }
            } else {
                rest = rest.dropFirst(count)
            }
        }
    }

    /// After this, and not before, the file is what was written.
    func commit() throws(Failure) {
        guard fsync(descriptor) == 0, rename(draft, path) == 0 else { throw Self.failure(name, errno) }
        isOpen.withLock { $0 = false }
        close(descriptor)
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
        guard wasOpen else { return }
        close(descriptor)
        unlink(draft)
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
