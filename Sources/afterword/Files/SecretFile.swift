import Foundation
import Logging
import Store

/// The secret file and its folder.
enum SecretFile {
    /// Reads the keys of a database. If the file is missing, it is created for a new database only: for a used
    /// database, a new file would hide that the right one is missing.
    static func keys(_ settings: Settings, for facts: DatabaseFacts, _ logger: Logger) throws -> KeyRing {
        let path = settings.secretFile
        guard !FileManager.default.fileExists(atPath: path) else { return try load(path, logger) }
        guard !facts.isKeyed else {
            throw Failure(
                "The secret file \(path) is missing, but this database was used with one: restore it from a backup, "
                    + "or name it with --secret-file.")
        }
        try makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        return try KeyRing.loadOrCreate(path: path)
    }

    /// Reads the file. Throws if other users may read it, unless it belongs to another user, as mounted secrets do; that
    /// is logged.
    static func load(_ path: String, _ logger: Logger) throws -> KeyRing {
        if let exposure = SecretFileExposure(path) {
            if exposure.isOwn { throw Failure(exposure.sentence) }
            logger.warning("\(exposure.sentence)")
        }
        return try KeyRing.load(path: path)
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
