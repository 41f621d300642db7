import Domain
import Foundation
import Logging
import Mail
import Store

/// The validated settings, with their sources.
struct Settings: Sendable {
    let host: String
    let port: Int
    /// Nil if there is no separate port for health checks.
    let healthPort: Int?
    /// Without a trailing slash. If nil, the address of the service is used.
    let publicURL: String?
    /// Nil for the private cluster in the data folder.
    let databaseURL: String?
    /// The URL of PgBouncer or another proxy in front of the same database, which requests use.
    let poolerURL: String?
    /// The URL of a streaming replica of that database, for expensive reads.
    let replicaURL: String?
    /// The URLs of workers of a Citus cluster that receive submissions without the coordinator.
    let workerURLs: [String]
    let data: String
    let secretFile: String
    let logLevel: Logger.Level
    let logFormat: Log.Format
    let poolSize: Int
    let intakeConnections: Int
    let intakeBound: Int
    /// The largest number of connections of one client address; 0 for any number, nil for the default.
    let connectionsPerAddress: Int?
    /// The largest number of event streams of one client address; 0 for any number, nil for the default.
    let viewersPerAddress: Int?
    let retention: RetentionSettings
    let allowsSignUp: Bool
    /// Nil if a sendmail sends mail.
    let smtp: SMTPServer?
    let smtpPasswordFile: String?
    let sendmail: SendmailChoice
    let mailFrom: EmailAddress
    let trustedProxies: Int
    let webhooksToPrivate: Bool
    /// Nil for all hosts.
    let webhookHosts: [String]?
    /// In the syntax of a Content Security Policy.
    let frameAncestors: [String]

    /// The text and the source of each setting. Secrets are masked.
    let overview: [(setting: Setting, text: String, source: SettingSource)]

    init(_ texts: SettingTexts) throws(Failure) {
        host = try texts.value(.host, "a name or an address to listen on") { text in
            text.contains(where: \.isWhitespace) ? nil : text
        }
        port = try texts.number(.port, "a port", in: 0...65535)
        let healthPort = try texts.number(.healthPort, "a port", in: 0...65535)
        self.healthPort = healthPort == 0 ? nil : healthPort
        publicURL = try texts.optional(.publicURL, "the address people open, such as https://feedback.example.org") {
            Self.publicURL($0)
        }
        databaseURL = try texts.optional(
            .databaseURL, "a database URL, such as \(DatabaseURL.sample)", isSecret: true
        ) {
            DatabaseURL.isPlausible($0) ? $0 : nil
        }
        poolerURL = try texts.optional(
            .poolerURL, "a URL of PgBouncer, such as \(DatabaseURL.sample)", isSecret: true
        ) {
            DatabaseURL.isPlausible($0) ? $0 : nil
        }
        guard poolerURL == nil || databaseURL != nil else {
            throw .misuse("--pooler-url needs --database-url, which leads to the same database without PgBouncer.")
        }
        replicaURL = try texts.optional(
            .replicaURL, "a URL of a replica, such as \(DatabaseURL.sample)", isSecret: true
        ) {
            DatabaseURL.isPlausible($0) ? $0 : nil
        }
        guard replicaURL == nil || databaseURL != nil else {
            throw .misuse("--replica-url needs --database-url, which leads to the primary of that replica.")
        }
        let workerURLs = try texts.optional(
            .workerURLs, "URLs of Citus workers, separated by spaces, such as \(DatabaseURL.sample)", isSecret: true
        ) { text -> [String]? in
            let urls = text.split(separator: " ").map(String.init)
            return !urls.isEmpty && urls.allSatisfy(DatabaseURL.isURL) ? urls : nil
        }
        self.workerURLs = workerURLs ?? []
        guard self.workerURLs.isEmpty || databaseURL != nil else {
            throw .misuse("--worker-urls needs --database-url, which leads to the coordinator of their cluster.")
        }
        let data = try texts.value(.data, "a folder") { $0 }
        self.data = data
        secretFile = try texts.optional(.secretFile, "a file") { $0 } ?? data + "/secret"
        let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        logLevel = try texts.value(.logLevel, "one of \(levels)") { Logger.Level(rawValue: $0) }
        let formats = Log.Format.allCases.map(\.rawValue).joined(separator: " or ")
        logFormat = try texts.value(.logFormat, formats) { Log.Format(rawValue: $0) }
        poolSize = try texts.number(.poolSize, "a number of connections", in: 1...500)
        intakeConnections = try texts.number(.intakeConnections, "a number of connections", in: 1...64)
        intakeBound = try texts.number(.intakeBound, "a number of submissions", in: 1...1_000_000)
        connectionsPerAddress = try texts.optionalNumber(
            .connectionsPerAddress, "a number of connections", in: 0...1_000_000)
        viewersPerAddress = try texts.optionalNumber(
            .viewersPerAddress, "a number of event streams", in: 0...1_000_000)
        let days = Limits.retentionDays
        retention = RetentionSettings(
            trashDays: try texts.number(.trashDays, "a number of days", in: Limits.trashDays),
            limitDays: try texts.value(
                .retentionDays, "none or a number of days, \(days.lowerBound) to \(days.upperBound)"
            ) { text -> Int?? in
                if text == "none" { return .some(nil) }
                return Int(text).flatMap { days.contains($0) ? .some($0) : nil }
            })
        allowsSignUp = try texts.value(.signUp, "on or off") { ["on": true, "off": false][$0] }
        let sendmail = try texts.optional(.sendmail, "the path of a program, such as /usr/sbin/sendmail, or none") {
            SendmailChoice($0)
        }
        self.sendmail = sendmail ?? .system
        smtp = try texts.optional(
            .smtp, "smtps://user@smtp.example.org, or smtp:// for STARTTLS, without the password", isSecret: true
        ) { SMTPServer($0) }
        smtpPasswordFile = try texts.optional(.smtpPasswordFile, "a file") { $0 }
        try Self.checkMail(smtp, passwordFile: smtpPasswordFile, sendmail: sendmail)
        let base = publicURL ?? Self.address(host: host, port: port)
        let mailFrom = try texts.optional(.mailFrom, "a mail address") { text in
            EmailAddress(text).flatMap { $0.isMailable ? $0 : nil }
        }
        guard let sender = mailFrom ?? Self.sender(at: base) else {
            throw .misuse("--mail-from is missing: no sender can be derived from \(base).")
        }
        self.mailFrom = sender
        trustedProxies = try texts.number(.trustedProxies, "a number of proxies", in: 0...10)
        webhooksToPrivate = try texts.value(.webhooksToPrivate, "on or off") { ["on": true, "off": false][$0] }
        let hosts = try texts.value(.webhookHosts, "all, or hosts such as hooks.example.org") { WebhookHosts.read($0) }
        webhookHosts = hosts.isEmpty ? nil : hosts
        frameAncestors = try texts.value(.frameAncestors, "none, or sites such as https://wiki.example.org") {
            FrameAncestors.read($0)
        }

        let derived: [Setting: String] = [
            .secretFile: secretFile,
            .databaseURL: databaseURL.map(DatabaseURL.masked) ?? "the private cluster in \(data)",
            .poolerURL: poolerURL.map(DatabaseURL.masked) ?? "",
            .replicaURL: replicaURL.map(DatabaseURL.masked) ?? "",
            .workerURLs: self.workerURLs.map(DatabaseURL.masked).joined(separator: " "),
            .publicURL: base,
            .smtp: smtp?.text ?? "",
            .smtpPasswordFile: smtpPasswordFile ?? "",
            .sendmail: self.sendmail.text,
            .mailFrom: sender.text,
            .connectionsPerAddress: connectionsPerAddress.map(String.init) ?? "three quarters of all",
            .viewersPerAddress: viewersPerAddress.map(String.init) ?? "three quarters of all",
        ]
        overview = Setting.allCases.map { setting in
            (setting, derived[setting] ?? texts[setting]?.text ?? "", texts[setting]?.source ?? .standard)
        }
    }

    var webhookTargets: WebhookTargets { WebhookTargets(allowsPrivate: webhooksToPrivate, hosts: webhookHosts) }

    /// The base URL of links.
    var linkBase: String { linkBase(port: port) }

    /// The base URL of links if the service listens on this port, which was chosen by the system if the setting is 0.
    func linkBase(port: Int) -> String { publicURL ?? Self.address(host: host, port: port) }

    /// The log level of commands other than `serve`. They print their own messages, so only errors are logged unless a
    /// level was set.
    var commandLogLevel: Logger.Level {
        overview.contains { $0.setting == .logLevel && $0.source != .standard } ? logLevel : .error
    }

    /// The address at which a browser on this machine reaches `host`.
    static func address(host: String, port: Int) -> String {
        switch host {
        case "0.0.0.0", "::": "http://localhost:\(port)"
        case _ where host.contains(":"): "http://[\(host)]:\(port)"
        default: "http://\(host):\(port)"
        }
    }

    static func defaults(isRoot: Bool) -> [Setting: String] {
        [
            .host: "127.0.0.1", .port: "8080", .healthPort: "0", .data: isRoot ? "/var/lib/afterword" : "./.afterword",
            .logLevel: "notice", .logFormat: "text", .poolSize: "8", .intakeConnections: "2", .intakeBound: "4096",
            .trashDays: "30", .retentionDays: "none", .signUp: "off",
            .trustedProxies: "0", .webhooksToPrivate: "off", .webhookHosts: "all", .frameAncestors: "none",
        ]
    }

    /// The default sender. A host that is an IP address can't be used as a mail domain, so `localhost` replaces it.
    private static func sender(at base: String) -> EmailAddress? {
        let host = URLComponents(string: base)?.host ?? ""
        let isNumeric = host.hasPrefix("[") || host.allSatisfy { $0.isNumber || $0 == "." || $0 == ":" }
        let address = EmailAddress("afterword@\(isNumeric ? "localhost" : host)")
        return address.flatMap { $0.isMailable ? $0 : nil }
    }

    private static func publicURL(_ text: String) -> String? {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let url = URLComponents(string: trimmed), ["http", "https"].contains(url.scheme),
            let host = url.host, !host.isEmpty, url.user == nil, url.query == nil, url.fragment == nil
        else { return nil }
        return trimmed
    }
}
