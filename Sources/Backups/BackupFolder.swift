import Foundation

/// The folder of one backup, with the files `manifest.json` and `database.dump`.
///
/// It is written under a hidden name and renamed when it is complete, so that an interrupted backup is never mistaken
/// for a good one.
struct BackupFolder: Sendable {
    static let manifestName = "manifest.json"
    static let dumpName = "database.dump"
    private static let namePrefix = "afterword-"
    private static let hiddenPrefix = ".afterword-backup."

    let path: String

    var manifestPath: String { "\(path)/\(Self.manifestName)" }
    var dumpPath: String { "\(path)/\(Self.dumpName)" }

    /// Creates a folder for an unfinished backup in `parent`, which is created too if it is missing, and calls `body`
    /// with it. The folder is removed afterwards, unless `body` has renamed it.
    static func withUnfinished<Value>(in parent: String, _ body: (BackupFolder) async throws -> Value) async throws
        -> Value
    {
        do {
            try FileManager.default.createDirectory(
                atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw unusable(parent)
        }
        sweep(parent)
        let folder = BackupFolder(path: "\(parent)/\(hiddenPrefix)\(UUID().uuidString)")
        guard mkdir(folder.path, 0o700) == 0 else { throw unusable(parent) }
        // The lock ends with the process. A hidden folder without a lock is abandoned.
        let lock = open(folder.path, O_RDONLY | O_CLOEXEC)
        defer {
            try? FileManager.default.removeItem(atPath: folder.path)
            close(lock)
        }
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw unusable(folder.path) }
        return try await body(folder)
    }

    /// Removes the remains of interrupted backups.
    private static func sweep(_ parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(hiddenPrefix) {
            let descriptor = open("\(parent)/\(name)", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
            }
            close(descriptor)
        }
    }

    /// Writes the manifest, syncs the folder and renames it. Returns the finished backup.
    func finish(_ manifest: BackupManifest, in parent: String) throws -> BackupFolder {
        let file = try OutputFile(manifestPath)
        try file.write(Array(manifest.json()))
        try file.close()
        try Self.sync(path)
        // Two backups within a second get different names.
        let name = Self.namePrefix + Self.timestamp(manifest.createdAt)
        for suffix in [""] + (2...99).map({ "-\($0)" }) {
            let finished = BackupFolder(path: "\(parent)/\(name)\(suffix)")
            // `rename` alone would replace an empty folder.
            guard access(finished.path, F_OK) != 0, rename(path, finished.path) == 0 else { continue }
            try Self.sync(parent)
            return finished
        }
        throw Self.unusable(parent)
    }

    /// The finished backups in a folder, the newest first.
    static func list(in parent: String) -> [BackupFolder] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        return names.filter { $0.hasPrefix(namePrefix) }.sorted(by: >).map { BackupFolder(path: "\(parent)/\($0)") }
            .filter { access($0.manifestPath, F_OK) == 0 && access($0.dumpPath, F_OK) == 0 }
    }

    /// Formats a time, such as `20261125T213000Z`.
    private static func timestamp(_ date: Date) -> String {
        date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }

    private static func sync(_ path: String) throws(BackupError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unusable(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw unusable(path) }
    }

    static func unusable(_ path: String) -> BackupError {
        .folderUnusable(path: path, reason: String(cString: strerror(errno)))
    }
}
