import Domain
import Foundation
import HTTPAPI
import Logging
import Store
import StrictJSON
import WebPages

/// The findings of `doctor` about settings, database, schema, secret file and mail.
struct Diagnostics: Sendable {
    struct Finding: Sendable, Equatable {
        enum Level: String, Sendable {
            case fine
            /// May be intended.
            case warning
            case wrong
        }

        var level: Level
        var topic: String
        var sentence: String
    }

    let settings: Settings
    private(set) var findings: [Finding] = []
    private var server: String?
    private var mail: Outbox.Counts?

    init(settings: Settings) {
        self.settings = settings
    }

    mutating func run(_ logger: Logger) async throws {
        examineAddress()
        examineProxies()
        let environment = ProcessInfo.processInfo.environment
        let named: [(Setting, String?)] = [
            (.databaseURL, settings.databaseURL), (.poolerURL, settings.poolerURL),
            (.replicaURL, settings.replicaURL),
        ]
        let urls = named + settings.workerURLs.map { (Setting.workerURLs, Optional($0)) }
        for (setting, url) in urls {
            if let finding = url.flatMap({ Self.transport($0, of: setting, environment: environment) }) {
                findings.append(finding)
            }
        }
        var facts: DatabaseFacts?
        do {
            facts = try await examineDatabase(logger)
        } catch let failure as Failure where failure == .interrupted {
            throw failure
        } catch {
            note(.wrong, "database", Ending(error).text)
        }
        if let url = settings.poolerURL, let facts { findings.append(await Self.pooler(Pooler(url: url), facts)) }
        if let url = settings.replicaURL, let primary = settings.databaseURL, facts != nil {
            findings.append(await Self.replica(url, of: primary))
        }
        if !settings.workerURLs.isEmpty, let coordinator = settings.databaseURL, facts != nil {
            findings.append(await Self.workers(settings.workerURLs, of: coordinator))
        }
        for disk in await MonitoredDisk.read(data: settings.data, postgres: facts?.folder) {
            findings.append(Self.disk(disk))
        }
        examineSecret(facts)
        await examineMail()
        findings.append(Self.openFiles(.current, settings))
        findings.append(Self.charts(library: ChartLibrary.path))
        findings.append(Self.passwords(list: CommonPasswords.path))
        if settings.webhooksToPrivate {
            note(
                .warning, "webhooks-to-private",
                "Webhooks may be sent to this machine and its networks: everybody with an account can make the "
                    + "service send requests there."
            )
        }
    }

    private mutating func note(_ level: Finding.Level, _ topic: String, _ sentence: String) {
        findings.append(Finding(level: level, topic: topic, sentence: sentence))
    }

    private mutating func examineAddress() {
        let address = PublicAddress(settings.linkBase)
        if let warning = address.warning { note(.warning, "public-url", warning) }
        if address.isPlain {
            note(
                .warning, "public-url",
                "\(address.base) is unencrypted: cookies have neither Secure nor __Host-. "
                    + "Use a proxy with TLS and set --public-url."
            )
        }
        if address.warning == nil, !address.isPlain {
            note(.fine, "public-url", "Codes and links begin with \(address.base).")
        }
    }

    private mutating func examineProxies() {
        guard !PublicAddress(settings.linkBase).isPlain, settings.trustedProxies == 0 else { return }
        note(
            .warning, "trusted-proxies",
            "TLS is terminated by a proxy, but trusted-proxies is 0: the limits on guesses and mails count all clients "
                + "as one. Set --trusted-proxies to the number of proxies.")
    }

    private mutating func examineDatabase(_ logger: Logger) async throws -> DatabaseFacts {
        let (facts, schema, citus, mail, delay, backup, retention, password, origin) = try await Database.with(
            settings, logger
        ) {
            database in
            let facts = try await DatabaseFacts.read(url: database.url)
            let schema = try await Migrator().status(url: database.url)
            let hasTables = schema.pendingSteps.isEmpty
            let mail = hasTables ? try await Outbox.counts(url: database.url) : nil
            let delay = hasTables ? try await FinalisingDelay.read(url: database.url) : nil
            let backup = hasTables ? try await LastBackup.read(url: database.url) : nil
            let retention =
                hasTables
                ? (
                    try await RetentionSettings.read(url: database.url),
                    try await OverdueDeletions.read(url: database.url)
                )
                : nil
            let password = hasTables ? try await InitialPassword.read(url: database.url) : nil
            let citus = try await CitusCluster.read(url: database.url)
            return (facts, schema, citus, mail, delay, backup, retention, password, database.origin)
        }
        self.mail = mail
        server = facts.serverVersion
        let place =
            switch origin {
            case .named: "from database-url"
            case .shared: "the private cluster of a running service"
            case .own: "the private cluster, started for this check"
            }
        note(.fine, "database", "PostgreSQL \(facts.serverVersion), \(place), as \(facts.user).")
        if facts.serverMajor < DatabaseFacts.oldestMajor {
            note(.wrong, "database", "PostgreSQL \(DatabaseFacts.oldestMajor) or newer is needed.")
        }
        if facts.encoding != "UTF8" {
            note(
                .wrong, "database",
                "The database's encoding is \(facts.encoding) but must be UTF8: create the database again.")
        }
        for setting in facts.unsafeSettings {
            note(
                .wrong, "durability",
                "\(setting): after a power failure, acknowledged answers may be lost. Turn the setting on.")
        }
        let roles =
            facts.roles.isEmpty ? "none of afterword_owner and afterword_app" : facts.roles.joined(separator: ", ")
        note(.fine, "roles", "\(facts.user) may act as \(roles).")
        examineSchema(schema, origin)
        if let citus { findings.append(Self.citus(citus)) }
        if let delay { examineFinalising(delay) }
        if schema.pendingSteps.isEmpty { findings.append(Self.backup(backup, now: Date())) }
        if let (stored, overdue) = retention {
            findings.append(Self.retention(stored, overdue, configured: settings.retention))
        }
        if let password { examinePassword(password, now: Date()) }
        return facts
    }

    private mutating func examinePassword(_ initial: InitialPassword, now: Date) {
        let end = RFC3339.format(initial.endsAt)
        note(
            .warning, "first-admin",
            initial.endsAt > now
                ? "\(initial.email) has the password of the first start until \(end): choose another on the page "
                    + "Account."
                : "The password of \(initial.email) ended at \(end): `afterword account reset-password` sets another.")
    }

    private mutating func examineFinalising(_ delay: FinalisingDelay) {
        let meetings = delay.meetings.prefix(5).map(\.uuidString).joined(separator: ", ").lowercased()
        let omitted = delay.meetings.count > 5 ? " and \(delay.meetings.count - 5) more" : ""
        let reason =
            delay.reasons.isEmpty
            ? "no reason was found: run `serve` and check its log"
            : delay.reasons.joined(separator: "; ")
        note(
            .warning, "finalising",
            "Anonymous forms have not become final for more than an hour (meetings \(meetings)\(omitted)): \(reason)."
        )
    }

    private mutating func examineSchema(_ schema: SchemaStatus, _ origin: Database.Origin) {
        let total = schema.steps.count
        let pending = schema.pendingSteps.count
        let outdated = schema.outdatedFunctions.map(\.name).joined(separator: ", ")
        if schema.isCurrent {
            note(.fine, "schema", "All \(total) migrations have run.")
        } else {
            let difference =
                pending > 0
                ? "\(pending) of \(total) migrations are pending" : "Functions of another version: \(outdated)"
            if origin == .own {
                note(.fine, "schema", "\(difference); `serve` brings the schema up to date.")
            } else {
                note(.wrong, "schema", "\(difference): run `afterword migrate`.")
            }
        }
        for function in schema.editedFunctions {
            note(
                .wrong, "schema",
                "The function \(function.name) was edited in the database: `afterword migrate` installs it again.")
        }
    }

    private mutating func examineMail() async {
        findings.append(await Self.mailTransport(settings))
        guard let mail else { return }
        if mail.waiting > 0 {
            note(
                .warning, "mail",
                "\(mail.waiting == 1 ? "One mail waits" : "\(mail.waiting) mails wait") to be sent: "
                    + "see docs/mail.md for how to find the reason."
            )
        }
        if mail.failed > 0 {
            note(
                .warning, "mail",
                "\(mail.failed) mails of the last week were given up: see docs/mail.md for how to find them.")
        }
    }

    private mutating func examineSecret(_ facts: DatabaseFacts?) {
        let path = settings.secretFile
        guard FileManager.default.fileExists(atPath: path) else {
            if facts?.isKeyed == true {
                note(
                    .wrong, "secret-file",
                    "\(path) is missing, but the database was used with one: restore it from a backup.")
            } else {
                note(.fine, "secret-file", "There is no secret file yet: the first `afterword serve` creates \(path).")
            }
            return
        }
        if let exposure = SecretFileExposure(path) {
            note(exposure.isOwn ? .wrong : .warning, "secret-file", exposure.sentence)
        }
        do {
            let ring = try KeyRing.load(path: path)
            if let refusal = try facts?.refusal(of: ring) {
                note(.wrong, "secret-file", refusal.description)
            } else {
                let keys = ring.numbers.map(String.init).joined(separator: ", ")
                note(
                    .fine, "secret-file",
                    "\(path) contains the keys \(keys)\(facts?.isKeyed == true ? ", which match the database" : "").")
            }
        } catch {
            note(.wrong, "secret-file", Ending(error).text)
        }
    }
}

extension Diagnostics {
    var text: String {
        let settingRows = settings.overview.map { [$0.setting.rawValue, $0.text, $0.source.name] }
        let versionRows =
            [["afterword", ProgramVersion.current], ["libpq", DatabaseFacts.libraryVersion]]
            + (server.map { [["PostgreSQL", $0]] } ?? [])
        let findingRows = findings.map { [$0.level.rawValue, $0.topic, $0.sentence] }
        return [settingRows, versionRows, findingRows].map(Terminal.table).joined(separator: "\n\n")
    }

    var json: JSONValue {
        .object([
            .init(
                "settings",
                .array(
                    settings.overview.map { entry in
                        .object([
                            .init("name", .string(entry.setting.rawValue)), .init("value", .string(entry.text)),
                            .init("source", .string(entry.source.name)),
                        ])
                    })),
            .init(
                "versions",
                .object([
                    .init("afterword", .string(ProgramVersion.current)),
                    .init("libpq", .string(DatabaseFacts.libraryVersion)), .init("postgresql", JSONValue(server)),
                ])),
            .init(
                "findings",
                .array(
                    findings.map { finding in
                        .object([
                            .init("level", .string(finding.level.rawValue)), .init("topic", .string(finding.topic)),
                            .init("message", .string(finding.sentence)),
                        ])
                    })),
        ])
    }
}
