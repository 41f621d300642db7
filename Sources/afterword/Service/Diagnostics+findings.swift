import Domain
import Foundation
import HTTPAPI
import Mail
import Store
import StrictJSON
import WebPages

/// The findings that depend only on the arguments of their methods.
extension Diagnostics {
    /// A warning if others on the network can read or change what is sent to the database or to PgBouncer. Otherwise
    /// nil.
    static func transport(
        _ url: String, of setting: Setting = .databaseURL, environment: [String: String]
    ) -> Finding? {
        // The attempt to connect reports an invalid URL.
        guard DatabaseFacts.isProtected(url: url, environment: environment) == false else { return nil }
        return Finding(
            level: .warning, topic: setting.rawValue,
            sentence:
                "The database is not on this machine, and the URL does not verify its certificate: somebody on the "
                + "way could read and change everything. Add sslmode=verify-full and sslrootcert, or use an encrypted "
                + "network.")
    }

    /// Whether the database is distributed over the workers of a Citus cluster.
    static func citus(_ cluster: CitusCluster) -> Finding {
        if let failure = cluster.failure {
            let sentence = failure.description.replacing(" Nothing was changed.", with: "")
            return Finding(level: .wrong, topic: "citus", sentence: sentence)
        }
        let workers = cluster.workers == 1 ? "one worker" : "\(cluster.workers) workers"
        return cluster.placement == .none
            ? Finding(
                level: .warning, topic: "citus",
                sentence: "The database has Citus \(cluster.version) with \(workers), but the tables are not "
                    + "distributed: run `afterword migrate --citus`.")
            : Finding(
                level: .fine, topic: "citus",
                sentence: "The tables are distributed over \(workers) with Citus \(cluster.version).")
    }

    /// How mail is sent. An SMTP server is asked whether it accepts the user.
    static func mailTransport(_ settings: Settings) async -> Finding {
        if let smtp = settings.smtp {
            do {
                try await settings.smtpTransport(timeout: .seconds(15))?.check(from: settings.mailFrom)
                return Finding(
                    level: .fine, topic: "mail", sentence: "Mail is sent by \(smtp.text), from \(settings.mailFrom).")
            } catch let refusal as MailRefusal {
                return Finding(
                    level: .wrong, topic: "mail", sentence: "\(smtp.text) cannot be used: \(refusal.detail).")
            } catch {
                return Finding(level: .wrong, topic: "mail", sentence: Ending(error).text)
            }
        }
        switch settings.sendmail.resolved {
        case .program(let path):
            return Finding(
                level: .fine, topic: "mail", sentence: "Mail is sent by \(path), from \(settings.mailFrom).")
        case .unusable(let path):
            return Finding(
                level: .wrong, topic: "mail",
                sentence: "\(path) cannot be run: choose another program with --sendmail.")
        case .folder:
            return Finding(
                level: .warning, topic: "mail",
                sentence: "There is no sendmail: mails are written to \(settings.mailFolder). Name an SMTP server with "
                    + "--smtp, or install a sendmail, such as msmtp-mta.")
        }
    }

    /// Whether reads can use the replica.
    static func replica(_ url: String, of primary: String) async -> Finding {
        do {
            guard try await Replica.check(url: url, againstPrimaryAt: primary) else {
                return Finding(
                    level: .warning, topic: "replica-url",
                    sentence: "Long exports may be cancelled when the primary removes rows that they need: set "
                        + "hot_standby_feedback = on on the replica.")
            }
            return Finding(level: .fine, topic: "replica-url", sentence: "Expensive reads use it.")
        } catch {
            return Finding(level: .wrong, topic: "replica-url", sentence: Ending(error).text)
        }
    }

    /// Whether submissions can be sent to the workers of a Citus cluster.
    static func workers(_ urls: [String], of coordinator: String) async -> Finding {
        do {
            let defects = try await DirectWorkers.check(urls: urls, coordinator: coordinator)
            guard defects.isEmpty else {
                return Finding(
                    level: .wrong, topic: "worker-urls", sentence: defects.map(\.description).joined(separator: " "))
            }
            return Finding(
                level: .fine, topic: "worker-urls", sentence: "Submissions are sent to the worker that has their form.")
        } catch {
            return Finding(level: .wrong, topic: "worker-urls", sentence: Ending(error).text)
        }
    }

    /// Whether requests can use PgBouncer, and with which rights.
    static func pooler(_ pooler: Pooler, _ direct: DatabaseFacts) async -> Finding {
        do {
            let facts = try await pooler.check(against: direct)
            guard facts.mayChangeTables else {
                return Finding(level: .fine, topic: "pooler-url", sentence: "Requests use it as \(facts.user).")
            }
            return Finding(
                level: .warning, topic: "pooler-url",
                sentence: "Requests use it as \(facts.user), who may change tables: name a login that is a member of "
                    + "afterword_app only.")
        } catch {
            return Finding(level: .wrong, topic: "pooler-url", sentence: Ending(error).text)
        }
    }

    /// Whether the library with which pages draw charts is installed. It is not part of this package.
    static func charts(library path: String) -> Finding {
        ChartLibrary.isInstalled(at: path)
            ? Finding(level: .fine, topic: "charts", sentence: "Pages draw them with \(path).")
            : Finding(
                level: .warning, topic: "charts",
                sentence: "\(path) is missing: pages show only bars. Install \(ChartLibrary.package) and restart.")
    }

    /// Whether the last backup is recent. Backups by other programs are not known.
    static func backup(_ last: LastBackup?, now: Date) -> Finding {
        let remedy = "`afterword backup` makes one; other programs' backups are not known here."
        let state = BackupState(last, now: now)
        guard let last else {
            return Finding(level: .warning, topic: "backup", sentence: "There is no backup: \(remedy)")
        }
        let made = "The last backup was made at \(RFC3339.format(last.finishedAt))"
        let days = Int((state.age ?? 0) / 86400)
        return !state.needsBackup
            ? Finding(level: .fine, topic: "backup", sentence: "\(made) (\(last.bytes.grouped) bytes).")
            : Finding(level: .warning, topic: "backup", sentence: "\(made), \(days) days ago: \(remedy)")
    }

    /// Whether a disk has enough free space.
    static func disk(_ disk: MonitoredDisk) -> Finding {
        let contents = disk.contents.map { $0 == .data ? "the data folder" : "PostgreSQL" }.joined(separator: " and ")
        func size(_ bytes: Int) -> String { "\((bytes >> 20).grouped) MiB" }
        let text = "The disk of \(contents) (\(disk.folder)) has \(size(disk.freeBytes)) free"
        switch disk.level {
        case .enough: return Finding(level: .fine, topic: "disk", sentence: "\(text).")
        case .low:
            return Finding(
                level: .warning, topic: "disk",
                sentence: "\(text), less than \(size(MonitoredDisk.lowBytes)): delete files that are not needed, or "
                    + "enlarge it.")
        case .short:
            return Finding(
                level: .wrong, topic: "disk",
                sentence: "\(text), less than \(size(MonitoredDisk.shortBytes)): once it is full, no answer can be "
                    + "stored. Delete files that are not needed, or enlarge it, now.")
        }
    }

    /// Whether everything that has expired was deleted.
    static func retention(
        _ stored: RetentionSettings, _ overdue: OverdueDeletions?, configured: RetentionSettings
    ) -> Finding {
        if let overdue {
            return Finding(
                level: .warning, topic: "retention",
                sentence: "For more than two hours, the answers to \(overdue.forms) forms and \(overdue.trashed) "
                    + "meetings and series in the trash should have been deleted: run `serve`, and look for \"Deleting expired "
                    + "rows failed\" in its log.")
        }
        let answers =
            stored.limitDays.map { "answers \($0) days after their form closed, unless a series deletes them earlier" }
            ?? "answers as each series says"
        let difference = stored == configured ? "" : " The next start of `serve` with these settings changes that."
        return Finding(
            level: .fine, topic: "retention",
            sentence: "The service deletes the trash after \(stored.trashDays) days, and \(answers).\(difference)")
    }

    /// Whether common passwords can be refused. Their list is not part of this package.
    static func passwords(list path: String) -> Finding {
        let count = CommonPasswords(path: path).count
        return count > 0
            ? Finding(level: .fine, topic: "passwords", sentence: "\(count) common ones are refused, from \(path).")
            : Finding(
                level: .warning, topic: "passwords",
                sentence: "\(path) is missing: common passwords such as 1234567890 are accepted. "
                    + "Install \(CommonPasswords.package) and restart.")
    }

    /// Whether the limit of open files allows enough connections, assuming that `serve` is started with the same limit
    /// as `doctor`.
    static func openFiles(_ limit: OpenFileLimit, _ settings: Settings) -> Finding {
        let connections = settings.connections(under: limit)
        let remedy = "raise it with ulimit -n, LimitNOFILE= of systemd or --ulimit of containers."
        let text = "The limit of open files is \(limit.soft) (hard: \(limit.hard))"
        guard connections >= OpenFileLimit.minConnections else {
            return Finding(
                level: .wrong, topic: "open-files",
                sentence: "\(text), which is too low for `serve` to start: \(remedy)")
        }
        let raised = limit.raised > limit.soft ? "; `serve` raises it to \(limit.raised)" : ""
        let limits = settings.clientLimits(connections: connections)
        let bounds =
            "\(text)\(raised): it allows \(connections) connections at once, of which \(limits.viewers) can be event "
            + "streams. \(limits.sentence)"
        return connections < OpenFileLimit.recommendedConnections
            ? Finding(
                level: .warning, topic: "open-files",
                sentence: "\(bounds) This may be too few for a large audience: \(remedy)")
            : Finding(level: .fine, topic: "open-files", sentence: bounds)
    }
}
