import Foundation

/// A file for a secret, under a temporary name until the file is complete.
///
/// The temporary name is the final name followed by a UUID, and the file is locked. The lock ends with the program, so
/// a draft without a lock was left by a program that was killed.
public final class SecretDraft: Sendable {
    public struct Failure: Error, Equatable {
        public let reason: String

        /// The failure of the last system call.
        init() { reason = String(cString: strerror(errno)) }
    }

    private let path: String
    private let temporaryPath: String
    private let descriptor: CInt

    private init(_ path: String, _ temporaryPath: String, _ descriptor: CInt) {
        (self.path, self.temporaryPath, self.descriptor) = (path, temporaryPath, descriptor)
    }

    deinit { close(descriptor) }

    /// Writes the text to disk, accessible only to the user of this program.
    ///
    /// - Parameter path: The path that the file gets later.
    public static func write(_ text: String, for path: String) throws(Failure) -> SecretDraft {
        while true {
            let temporaryPath = "\(path).\(UUID().uuidString)"
            let descriptor = open(temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Failure() }
            let draft = SecretDraft(path, temporaryPath, descriptor)
            // Another program may have found the file before it was locked, and deleted it as abandoned. Where files
            // cannot be locked, no program deletes drafts.
            if flock(descriptor, LOCK_EX) == 0, !draft.exists { continue }
            do throws(Failure) {
                try draft.write(text)
            } catch {
                draft.discard()
                throw error
            }
            return draft
        }
    }

    /// Gives the file its final name, and syncs the folder, so that the name survives a power failure.
    ///
    /// - Parameter replaces: Whether to replace an existing file.
    /// - Returns: Whether the file got its name. If not, another file has this name, and the draft is deleted.
    @discardableResult
    public func complete(replacing replaces: Bool) throws(Failure) -> Bool {
        if replaces {
            guard rename(temporaryPath, path) == 0 else { throw Failure() }
        } else {
            defer { discard() }
            if link(temporaryPath, path) != 0 {
                guard errno == EEXIST else { throw Failure() }
                return false
            }
        }
        let folder = open(Self.folder(of: path), O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { throw Failure() }
        defer { close(folder) }
        // Some file systems cannot sync folders and do not need to.
        guard fsync(folder) == 0 || errno == EINVAL else { throw Failure() }
        return true
    }

    public func discard() { unlink(temporaryPath) }

    /// Nil if the file cannot be read as text.
    public var text: String? { try? String(contentsOfFile: temporaryPath, encoding: .utf8) }

    /// Returns the drafts that killed programs left for this path. They are locked, so that no other program finds them
    /// at the same time.
    public static func abandoned(for path: String) -> [SecretDraft] {
        let folder = Self.folder(of: path)
        let prefix = URL(fileURLWithPath: path).lastPathComponent + "."
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            guard name.hasPrefix(prefix), UUID(uuidString: String(name.dropFirst(prefix.count))) != nil else {
                return nil
            }
            let descriptor = open("\(folder)/\(name)", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            let draft = SecretDraft(path, "\(folder)/\(name)", descriptor)
            return flock(descriptor, LOCK_EX | LOCK_NB) == 0 && draft.exists ? draft : nil
        }
    }

    private func write(_ text: String) throws(Failure) {
        var remaining = Array(text.utf8)[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                remaining = remaining.dropFirst(count)
            } else if errno != EINTR {
                throw Failure()
            }
        }
        guard fsync(descriptor) == 0 else { throw Failure() }
    }

    /// Whether the file still has a name on disk.
    private var exists: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    private static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }
}
