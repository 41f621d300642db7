import Foundation
import Store

/// The secret file and its folder.
enum SecretFile {
    /// Reads the keys of a database. If the file is missing, it is created for a new database only: for a used
    /// database, a new file would hide that the right one is missing.
    static func keys(_ settings: Settings, for facts: DatabaseFacts) throws -> KeyRing {
        let path = settings.secretFile
        guard !FileManager.default.fileExists(atPath: path) else { return try KeyRing.load(path: path) }
        guard !facts.isKeyed else {
            throw Failure(
                "The secret file \(path) is missing, but this database was used with one: restore it from a backup, "
                    + "or name it with --secret-file.")
        }
        try makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        return try KeyRing.loadOrCreate(path: path)
    }

    /// Creates a folder that only its owner can enter, if it is missing.
    static func makeFolder(_ path: String) throws(Failure) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure("The folder \(path) cannot be created: fix its permissions or choose another with --data.")
        }
    }
}
