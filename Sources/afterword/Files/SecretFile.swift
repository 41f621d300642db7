import Foundation
import Store

/// The secret file and the folder it stands in.
enum SecretFile {
    /// The keys for a database: made once for a new one, never for one that already knows some.
    ///
    /// A fresh file beside a used database would only hide that the right one is missing.
    static func keys(_ settings: Settings, for facts: DatabaseFacts) throws -> KeyRing {
        let path = settings.secretFile
        guard !FileManager.default.fileExists(atPath: path) else { return try KeyRing.load(path: path) }
        guard !facts.isKeyed else {
            throw Failure(
                "The secret file \(path) is not there, and this database was used with one: restore it from its copy, "
                    + "or name it with --secret-file.")
        }
        try makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        return try KeyRing.loadOrCreate(path: path)
    }

    /// Makes a folder, closed to others, when it is missing.
    static func makeFolder(_ path: String) throws(Failure) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure("The folder \(path) cannot be made: mend its permissions or name another with --data.")
        }
    }
}
