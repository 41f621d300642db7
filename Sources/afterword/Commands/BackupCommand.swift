import ArgumentParser
import Backups
import Foundation
import HTTPAPI
import Logging
import Store

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Make a backup of the database, also while the service is running.",
        discussion: """
            Creates a folder with a dump in PostgreSQL's custom format and a manifest: the number of rows in each table, \
            the dump's SHA-256, and the versions of program and server. Everything is of one moment. The folder \
            appears when the backup is complete. It needs pg_dump of the server's version or a newer one.

            The secret file is not in the backup, because together they reveal more than apart: keep a copy elsewhere. \
            Without it a restored database cannot be used. Its keys authenticate the backup, so that `restore` notices \
            any change.

            EXAMPLES
              afterword backup --to /var/backups/afterword --keep 14
              afterword backup --to /mnt/usb --passphrase-file /etc/afterword/passphrase
              afterword backup --to . --json | jq -r .path
            """)

    @Option(help: "The folder in which the backup's folder is created.")
    var to: String

    @Option(help: "Encrypt the dump with the passphrase in this file; its last line break is ignored.")
    var passphraseFile: String?

    @Option(help: "Delete all but this number of the newest backups in the folder, if this one succeeds.")
    var keep: Int?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        if let keep, keep < 1 { throw Failure.misuse("--keep must be at least 1.") }
        let settings = try options.settings()
        let search = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let passphrase = try passphraseFile.map { try PassphraseFile.read($0) }
        let (to, keep) = (URL(fileURLWithPath: to).path, keep)
        let logger = Log.startCommand(settings)
        let finished = try await Database.with(settings, logger) { database in
            let keys = try await keys(of: database.url, settings, logger)
            let bar = ProgressBar("Backing up, KiB", total: 0)
            defer { bar.finish() }
            return try await Backup(url: database.url, programVersion: ProgramVersion.current, search: search)
                .run(in: to, passphrase: passphrase, keep: keep, keys: keys) { bar.update($0 >> 10) }
        }
        if json { return Terminal.print(String(decoding: try BackupReport(finished).json(), as: UTF8.self)) }
        let manifest = finished.manifest
        Terminal.print(
            "\(finished.path): \(manifest.rowCount.grouped) rows, \(manifest.bytes.grouped) bytes"
                + (manifest.encryption == nil ? "." : ", encrypted."))
        for path in finished.deleted { Terminal.print("Deleted \(path).") }
        if manifest.unsettledForms > 0 {
            Terminal.printError(
                "Anonymous forms that are not final yet: \(manifest.unsettledForms.grouped). This backup shows in which "
                    + "order people answered them: delete it once they are final (docs/privacy.md).")
        }
        if manifest.authentication == nil {
            Terminal.printError(
                "The backup is not authenticated, because the secret file \(settings.secretFile) cannot be read or is not "
                    + "used by the database yet: `restore` will need --trust.")
        } else {
            Terminal.printError("The secret file \(settings.secretFile) is not in it: keep a copy elsewhere.")
        }
    }

    /// Returns the keys of the secret file, or nil if the file cannot be read or no service has used the database yet.
    /// Throws if the file belongs to another database.
    private func keys(of url: String, _ settings: Settings, _ logger: Logger) async throws -> KeyRing? {
        guard FileManager.default.isReadableFile(atPath: settings.secretFile) else { return nil }
        let ring = try SecretFile.load(settings.secretFile, logger)
        let facts = try await DatabaseFacts.read(url: url)
        if let refusal = try facts.refusal(of: ring) { throw refusal }
        return facts.isKeyed ? ring : nil
    }
}

/// The output of `backup --json`.
private struct BackupReport: Encodable {
    var path: String
    var deleted: [String]
    var manifest: BackupManifest

    init(_ finished: Backup.Finished) {
        (path, deleted, manifest) = (finished.path, finished.deleted, finished.manifest)
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
