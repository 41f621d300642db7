import Cryptography
import Foundation
import Logging
import Store

/// The secret file and its folder.
enum SecretFile {
    /// Reads the keys for a database. If the file is missing, it is created for a new database only: for a used
    /// database, a new file would hide that the right file is missing. Copies that a killed start left behind are
    /// deleted.
    static func keys(_ settings: Settings, for facts: DatabaseFacts, _ logger: Logger) throws -> KeyRing {
        let path = settings.secretFile
        for draft in SecretDraft.abandoned(for: path) { draft.discard() }
        guard !FileManager.default.fileExists(atPath: path) else { return try load(path, logger) }
        guard !facts.isKeyed else {
            throw Failure(
                "The secret file \(path) is missing, but this database was used with one: restore it from a backup, "
                    + "or name it with --secret-file.")
        }
        try makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        return try KeyRing.loadOrCreate(path: path)
    }

    /// Reads the file. If others may be able to read it, throws if it belongs to this process's user, and logs a
    /// warning if it belongs to another user, as mounted secrets do.
    static func load(_ path: String, _ logger: Logger) throws -> KeyRing {
        if let exposure = SecretFileExposure(path) {
            if exposure.isOwn { throw Failure(exposure.sentence) }
            logger.warning("\(exposure.sentence)")
        }
        return try KeyRing.load(path: path)
    }

    /// Adds a new key, and reads the file again. The file is replaced completely or not at all, and keeps its owner.
    static func add(_ number: Int, to path: String, _ logger: Logger) throws -> KeyRing {
        var text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        if text.last != "\n" { text += "\n" }
        let date = Date().formatted(.iso8601.year().month().day())
        text += "# Key \(number), added \(date)\n\(number) \(Base64URL.encode(RandomBytes.make(32)))\n"
        do {
            let file = try AtomicFile(path, keepsOwner: true)
            try file.write(Array(text.utf8))
            try file.commit()
        } catch {
            throw Failure(
                "\(error.sentence) If the secret file is mounted or managed elsewhere, add a key there, as "
                    + "docs/operations.md says.")
        }
        return try load(path, logger)
    }

    /// Creates a missing folder that only its owner can enter.
    static func makeFolder(_ path: String) throws(Failure) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(
                "The folder \(path) cannot be created: fix the permissions above it, free some disk space, or choose "
                    + "another with --data.")
        }
    }
}
