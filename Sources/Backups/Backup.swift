import Cryptography
import Foundation
import Postgres
import Store

/// Backs up a database with `pg_dump` while the service runs. All counts and rows come from one snapshot.
public struct Backup: Sendable {
    public struct Finished: Sendable {
        public var path: String
        public var manifest: BackupManifest
        /// The paths of older backups that were deleted.
        public var deleted: [String]
    }

    let url: String
    let programVersion: String
    let search: String
    let programMajor: Int

    /// - Parameters:
    ///   - search: Additional folders in which to look for `pg_dump`, in the format of `PATH`.
    ///   - programMajor: The minimum major version of `pg_dump`, if it is higher than that of the server.
    public init(url: String, programVersion: String, search: String, programMajor: Int = 0) {
        self.url = url
        self.programVersion = programVersion
        self.search = search
        self.programMajor = programMajor
    }

    /// Writes a backup to a new folder in `parent`.
    ///
    /// - Parameters:
    ///   - passphrase: Encrypts the dump; nil stores it as `pg_dump` writes it.
    ///   - keep: The number of backups to keep in `parent`, including the new one. Older ones are deleted. Nil keeps
    ///     all.
    ///   - keys: The keys of the secret file, with which the backup is authenticated.
    ///   - isRecorded: Whether to record the backup in the database. If false, the database is only read.
    ///   - progress: Called with the number of bytes written so far.
    public func run(
        in parent: String, passphrase: [UInt8]? = nil, keep: Int? = nil, keys: KeyRing? = nil,
        isRecorded: Bool = true,
        progress: @escaping (Int) -> Void = { _ in }
    ) async throws -> Finished {
        let encryption = passphrase == nil ? nil : PassphraseKey.Parameters.make()
        let key = try passphrase.map { try Self.key($0, encryption) }
        return try await BackupFolder.withUnfinished(in: parent) { folder in
            var manifest = try await withSnapshot { connection, snapshot, manifest in
                let program = try await PostgresProgram.find(
                    "pg_dump", atLeast: max(manifest.postgresMajor, programMajor), search: search)
                let dump = try DumpFile(folder.dumpPath, key, progress)
                // Compared with the default level, the file is a tenth larger, but writing it takes three quarters of
                // the time.
                try await program.run(
                    [
                        "--format=custom", "--compress=3", "--snapshot=\(snapshot)", "--lock-wait-timeout=60s",
                        "--no-unlogged-table-data",
                    ], url: url
                ) { try dump.write($0) }
                (manifest.bytes, manifest.sha256) = try dump.finish()
            }
            manifest.encryption = encryption.map { BackupManifest.Encryption($0) }
            if let keys { try manifest.addAuthentication(with: keys) }
            let finished = try folder.finish(manifest, in: parent)
            if isRecorded { try await LastBackup.record(bytes: manifest.bytes, url: url) }
            return Finished(path: finished.path, manifest: manifest, deleted: try Self.prune(parent, keep: keep))
        }
    }

    static func key(_ passphrase: [UInt8], _ parameters: PassphraseKey.Parameters?) throws(BackupError) -> PassphraseKey
    {
        guard !passphrase.isEmpty else { throw .emptyPassphrase }
        guard let parameters else { throw .keyDerivationFailed }
        do { return try PassphraseKey(passphrase, parameters) } catch { throw .keyDerivationFailed }
    }

    /// Reads the manifest's facts in a snapshot, and keeps the snapshot for other connections while `body` runs.
    private func withSnapshot(
        _ body: (Connection, String, inout BackupManifest) async throws -> Void
    ) async throws -> BackupManifest {
        let applied = try await Migrator().status(url: url).steps.filter { $0.appliedAt != nil }
        guard let migration = applied.map(\.number).max() else { throw BackupError.databaseEmpty }
        return try await Connection.with(PostgresConfiguration(url: url)) { connection in
            try await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let snapshot = try await connection.query("SELECT pg_export_snapshot()").single().decode(String.self)
            let facts = try await DatabaseFacts.read(on: connection)
            var manifest = BackupManifest(
                createdAt: Date(), program: programVersion, postgres: facts.serverVersion,
                postgresMajor: facts.serverMajor,
                migration: migration, hasRoles: try await RestoredDatabase.belongsToOwnerRole(connection),
                keys: facts.checkValues.map { .init(number: $0.key, checkValue: Data($0.value)) }
                    .sorted { $0.number < $1.number },
                rows: try await RestoredDatabase.rows(connection),
                unsettledForms: try await RestoredDatabase.unsettledForms(connection), bytes: 0, sha256: "",
                encryption: nil)
            try await body(connection, snapshot, &manifest)
            try await connection.script("COMMIT")
            return manifest
        }
    }

    private static func prune(_ parent: String, keep: Int?) throws -> [String] {
        guard let keep else { return [] }
        let old = BackupFolder.list(in: parent).dropFirst(max(1, keep))
        for folder in old { try FileManager.default.removeItem(atPath: folder.path) }
        return old.map(\.path)
    }
}
