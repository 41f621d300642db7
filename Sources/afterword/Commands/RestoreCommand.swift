import ArgumentParser
import Backups
import Foundation
import Logging
import Store
import StrictJSON

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup into an empty database.",
        discussion: """
            Checks the backup, restores it in one transaction, compares the number of rows in each table, brings an \
            older schema up to date, and recounts every result. The database must be empty: a data folder without a \
            database, which is created, or a new database with --database-url. The secret file that belongs to the \
            backup must be in its place; it proves that the backup was not changed.

            Forms become again what they were at the time of the backup: answers that were withdrawn since are back, \
            and anonymous forms that were not final become final again when `serve` runs.

            EXAMPLES
              install -D -m 600 secret-copy /var/lib/afterword/secret
              afterword restore /var/backups/afterword/afterword-20261125T213000Z
              afterword restore BACKUP \\
                --database-url postgres://owner@db.example.org/new --secret-file secret
            """)

    @Argument(help: "The folder of the backup.")
    var backup: String

    @Option(help: "The file with the passphrase of an encrypted backup.")
    var passphraseFile: String?

    @Flag(
        help: """
            Restore a backup that the secret file does not authenticate. A forged backup runs commands as the \
            database's superuser.
            """)
    var trust = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        let search = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let passphrase = try passphraseFile.map { try PassphraseFile.read($0) }
        let contents = try check(passphrase)
        let logger = Log.startCommand(settings)
        let keys = try requireSecret(settings, contents.manifest, logger)
        if contents.manifest.authentication != nil || !trust {
            guard let keys else { throw BackupError.notAuthenticated(path: contents.path) }
            try contents.requireAuthenticity(with: keys)
        }
        let report = try await Database.with(settings, creates: true, logger) { database in
            try await Restore(contents, url: database.url, search: search).run()
            return try await database.recount(settings, logger)
        }
        let manifest = contents.manifest
        Terminal.print(
            "Restored \(manifest.rowCount.grouped) rows of \(RFC3339.format(manifest.createdAt)); "
                + "submissions: \(report.submissions.grouped), forms: \(report.forms.grouped), "
                + "\(report.differenceCount == 0 ? "no" : report.differenceCount.grouped) differences.")
        if manifest.unsettledForms > 0 {
            Terminal.printError(
                "Anonymous forms that were not final at that time: \(manifest.unsettledForms.grouped). Until "
                    + "`afterword serve` makes them final in turn, the database shows in which order people answered.")
        }
        if report.differenceCount > 0 {
            Terminal.printError("See them with `afterword verify`.")
            throw ExitStatus.differences
        }
    }

    private func check(_ passphrase: [UInt8]?) throws -> BackupContents {
        let bar = ProgressBar("Checking, KiB", total: 0)
        defer { bar.finish() }
        return try BackupContents(path: URL(fileURLWithPath: backup).path, passphrase: passphrase) { done, total in
            bar.update(done >> 10, of: total >> 10)
        }
    }

    /// Returns the keys of the backup's secret file, or nil if the backup's database was never used with a secret file.
    /// Called before anything is created, because without the right keys the restored database could not be opened.
    private func requireSecret(
        _ settings: Settings, _ manifest: BackupManifest, _ logger: Logger
    ) throws -> KeyRing? {
        guard !manifest.keys.isEmpty else { return nil }
        guard FileManager.default.fileExists(atPath: settings.secretFile) else {
            throw Failure(
                "The secret file of this backup is needed: put a copy of it at \(settings.secretFile), or name it with "
                    + "--secret-file.")
        }
        let ring = try SecretFile.load(settings.secretFile, logger)
        let keys = Dictionary(manifest.keys.map { ($0.number, Array($0.checkValue)) }) { $1 }
        if let refusal = try ring.refusal(byCheckValues: keys) {
            throw Failure("\(settings.secretFile) does not belong to this backup. \(refusal.description)")
        }
        return ring
    }
}
