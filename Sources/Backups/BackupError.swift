/// The reason why a backup cannot be made or restored. The description is one sentence, with a remedy if there is one.
public enum BackupError: Error, Equatable {
    /// No `program` with at least the major version `major` is installed. `found` lists the older ones that are.
    case programMissing(program: String, major: Int, found: [Int])
    case programFailed(program: String, reason: String)
    case folderUnusable(path: String, reason: String)
    /// The folder has no readable manifest.
    case notABackup(path: String)
    /// The manifest has a format that this program does not know.
    case unsupportedFormat(path: String, format: Int)
    /// The dump differs from the manifest.
    case damaged(path: String)
    /// The manifest has no authentication.
    case notAuthenticated(path: String)
    /// The manifest is not the one that was authenticated.
    case forged(path: String)
    case passphraseMissing(path: String)
    case passphraseUnused(path: String)
    case wrongPassphrase(path: String)
    case emptyPassphrase
    case keyDerivationFailed
    /// The database already has tables, such as `table`.
    case databaseNotEmpty(table: String)
    /// The database's server is older than that of the backup.
    case olderServer(backup: Int, server: Int)
    /// The backup has a newer schema than this program.
    case newerSchema(migration: Int, newest: Int)
    /// The backup's tables belong to the user of its database, and the user of this database can act as the service's
    /// roles.
    case rolesDiffer
    /// The database has no tables of Afterword.
    case databaseEmpty
    /// A table does not have as many rows as the manifest says.
    case rowsDiffer(table: String, expected: Int, found: Int)
    case interrupted
}

extension BackupError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .programMissing(let program, let major, let found):
            "\(program) of PostgreSQL \(major) or newer is needed and \(Self.list(found)): run "
                + "`apt-get install postgresql-client-\(major)`."
        case .programFailed(let program, let reason):
            "\(program) failed: \(reason)"
        case .folderUnusable(let path, let reason):
            "The folder \(path) cannot be used (\(reason)): fix its permissions, free some disk space, or choose "
                + "another."
        case .notABackup(let path):
            "\(path) is not a backup: name the folder that `afterword backup` created, which contains manifest.json."
        case .unsupportedFormat(let path, let format):
            "The backup \(path) has format \(format), which this program does not know: use a newer afterword."
        case .damaged(let path):
            "The backup \(path) is damaged: its dump is not the one that the manifest describes. Use another backup."
        case .notAuthenticated(let path):
            "The backup \(path) does not prove that it was made with this secret file, and a restore runs what is in it: "
                + "if nobody else could change it, restore it with --trust."
        case .forged(let path):
            "The manifest of the backup \(path) was changed after the backup was made: use another backup."
        case .passphraseMissing(let path):
            "The backup \(path) is encrypted: name the file with its passphrase with --passphrase-file."
        case .passphraseUnused(let path):
            "The backup \(path) is not encrypted: leave out --passphrase-file."
        case .wrongPassphrase(let path):
            "The passphrase does not belong to the backup \(path), or its manifest was changed."
        case .emptyPassphrase:
            "The passphrase is empty."
        case .keyDerivationFailed:
            "The key for the encryption cannot be derived: it needs 64 MiB of memory."
        case .databaseNotEmpty(let table):
            "The database is not empty, because it has the table \(table): restore into a new data folder or a new "
                + "database."
        case .olderServer(let backup, let server):
            "The backup was made with PostgreSQL \(backup) and the database runs PostgreSQL \(server): use "
                + "PostgreSQL \(backup) or newer."
        case .newerSchema(let migration, let newest):
            "The backup has migration \(migration) and this program knows \(newest) of them: use a newer afterword."
        case .rolesDiffer:
            "The backup's tables belong to the user of its database, and the user of this database can act as "
                + "afterword_owner and afterword_app: restore as a user who cannot, or on another server."
        case .databaseEmpty:
            "The database is empty: there is nothing to back up."
        case .rowsDiffer(let table, let expected, let found):
            "The restored table \(table) has \(found) rows instead of \(expected): do not use this "
                + "database."
        case .interrupted:
            "Interrupted before the end."
        }
    }

    private static func list(_ majors: [Int]) -> String {
        majors.isEmpty ? "none is installed" : "only \(majors.map(String.init).joined(separator: ", ")) is installed"
    }
}
