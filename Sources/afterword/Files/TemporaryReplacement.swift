import Foundation

/// A temporary file in the folder of the file that it will replace.
///
/// It has no name until it replaces the other file, so that nothing is left if the program is killed. If the file
/// system does not support this (NFS, FAT), the temporary file has a hidden name and a lock, which ends with the
/// program. A temporary file without a lock is abandoned. It is deleted when the next one for the same path is created.
struct TemporaryReplacement {
    let descriptor: Int32
    /// The path of the file to replace.
    private let path: String
    /// Nil if the file has no name.
    private let hiddenName: String?

    /// Returns nil on failure, with the reason in `errno`.
    ///
    /// - Parameters:
    ///   - isNamed: Whether to use a hidden name even if the file system supports files without a name.
    ///   - sweeps: Whether to delete abandoned temporary files.
    init?(of path: String, isNamed: Bool = false, sweeps: Bool = true) {
        self.path = path
        if sweeps { Self.sweep(path) }
        if !isNamed, let descriptor = Self.openNameless(in: Self.parts(of: path).folder) {
            (self.descriptor, hiddenName) = (descriptor, nil)
            return
        }
        while true {
            let name = Self.hiddenName(of: path)
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, Self.mode)
            guard descriptor >= 0 else { return nil }
            // Another program may have deleted the file before it was locked.
            var status = stat()
            if flock(descriptor, LOCK_EX) != 0 || (fstat(descriptor, &status) == 0 && status.st_nlink > 0) {
                (self.descriptor, hiddenName) = (descriptor, name)
                return
            }
            close(descriptor)
        }
    }

    /// Moves the file to its path and replaces the existing one. Returns false on failure, with the reason in `errno`.
    func replaceTarget() -> Bool {
        if let hiddenName { return rename(hiddenName, path) == 0 }
        // `linkat` cannot replace a file, so the temporary file gets a hidden name for a moment, under the lock.
        let name = Self.hiddenName(of: path)
        _ = flock(descriptor, LOCK_EX)
        guard linkat(AT_FDCWD, Self.link(to: descriptor), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else { return false }
        guard rename(name, path) != 0 else { return true }
        let reason = errno
        unlink(name)
        errno = reason
        return false
    }

    /// Closes the file, and deletes it unless it was moved.
    func discard() {
        if let hiddenName { unlink(hiddenName) }
        close(descriptor)
    }

    /// Whether a folder contains anything that looks like a temporary file.
    static func exist(in folder: String) -> Bool { !names(in: folder) { $0.hasSuffix(ending) }.isEmpty }

    private static let ending = ".part"
    /// Only the owner may read a new file, because exports contain names and addresses.
    private static let mode: mode_t = 0o600

    private static func openNameless(in folder: String) -> Int32? {
        // This is `O_TMPFILE`, which the header defines as an expression that Swift does not import.
        let withoutName: Int32 = 0o20000000 | O_DIRECTORY
        let descriptor = open(folder, O_WRONLY | O_CLOEXEC | withoutName, mode)
        guard descriptor >= 0 else { return nil }
        if access(link(to: descriptor), F_OK) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    private static func link(to descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    private static func parts(of path: String) -> (folder: String, file: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("./", path) }
        return (String(path[...slash]), String(path[path.index(after: slash)...]))
    }

    private static func hiddenName(of path: String) -> String {
        let (folder, file) = parts(of: path)
        return "\(folder).\(file).\(UInt64.random(in: 0...UInt64.max))\(ending)"
    }

    private static func sweep(_ path: String) {
        let (folder, file) = parts(of: path)
        let beginning = ".\(file)."
        for name in names(in: folder, where: { $0.hasPrefix(beginning) && $0.hasSuffix(ending) })
        where UInt64(name.dropFirst(beginning.count).dropLast(ending.count)) != nil {
            let descriptor = open(folder + name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(folder + name) }
            close(descriptor)
        }
    }

    private static func names(in folder: String, where isIncluded: (String) -> Bool) -> [String] {
        // In a folder that is writable but not readable, abandoned files are not deleted.
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if isIncluded(name) { names.append(name) }
        }
        return names
    }
}
