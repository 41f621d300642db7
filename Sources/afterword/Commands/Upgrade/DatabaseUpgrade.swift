import Backups
import EmbeddedPostgres
import Foundation
import HTTPAPI
import Logging
import Store

/// The steps of `upgrade`, from the dump of the old cluster to the message that says where that cluster is kept.
struct DatabaseUpgrade: Sendable {
    let settings: Settings
    let cluster: ClusterUpgrade
    let logger: Logger

    private var search: String {
        // The programs of the new version need not be in PATH.
        cluster.new.programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    }

    func run() async throws {
        Terminal.print(
            "Carrying over the database in \(settings.data) from PostgreSQL \(cluster.old.major) (\(cluster.old.programs)) "
                + "to PostgreSQL \(cluster.new.major) (\(cluster.new.programs)).")
        let (rows, report): (Int, Verification.Report?)
        do {
            let backup = try await cluster.withOld { try await dump($0) }
            report = try await cluster.withNew { url in
                guard let backup else { return nil }
                return try await restore(backup, url)
            }
            rows = backup?.manifest.rowCount ?? 0
        } catch {
            // This error matters more than a failed deletion, which the next upgrade tries again.
            try? await Task { try await cluster.discard() }.value
            throw error
        }
        let old = try cluster.replaceOld()
        do { try await cluster.discard() } catch { Terminal.printError("The upgrade succeeded. \(error)") }
        let counts = report.map {
            "; submissions: \($0.submissions.grouped), forms: \($0.forms.grouped), no differences"
        }
        Terminal.print("PostgreSQL \(cluster.new.major) is in use now: \(rows.grouped) rows\(counts ?? "").")
        Terminal.printError(
            "The old cluster is in \(old). Start the service, and delete that folder when everything works: like a "
                + "backup, it shows who answered anonymous forms that were not final.")
    }

    /// Returns nil if the database has no tables yet.
    private func dump(_ url: String) async throws -> BackupContents? {
        let otherDatabases = try await OtherDatabases.names(url: url)
        guard otherDatabases.isEmpty else {
            throw Failure(
                "The cluster also has databases that would not be carried over (\(otherDatabases.joined(separator: ", "))): "
                    + "move them to another server first.")
        }
        let facts = try await DatabaseFacts.read(url: url)
        if let refusal = try facts.refusal(of: try SecretFile.keys(settings, for: facts, logger)) { throw refusal }
        let bar = ProgressBar("Dumping, KiB", total: 0)
        defer { bar.finish() }
        do {
            let finished = try await Backup(
                url: url, programVersion: ProgramVersion.current, search: search, programMajor: cluster.new.major
            ).run(in: cluster.dumpFolder, isRecorded: false) { bar.update($0 >> 10) }
            return try BackupContents(path: finished.path, passphrase: nil)
        } catch BackupError.databaseEmpty {
            return nil
        }
    }

    private func restore(_ backup: BackupContents, _ url: String) async throws -> Verification.Report {
        if Terminal.isErrorStreamInteractive {
            Terminal.printError("Restoring \(backup.manifest.rowCount.grouped) rows")
        }
        try await Restore(backup, url: url, search: search, programMajor: cluster.new.major).run()
        let report = try await Database(url: url, origin: .own).recount(settings, logger)
        guard report.differenceCount == 0 else {
            throw Failure(
                "The recount found \(report.differenceCount.grouped) differences, so the old cluster stays in use: run "
                    + "`afterword verify --repair`, then try again.")
        }
        return report
    }
}
