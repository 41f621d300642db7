import ArgumentParser

/// The options of `serve`.
struct ServeOptions: ParsableArguments {
    @Option(help: "The name or address to listen on (default: 127.0.0.1).")
    var host: String?

    @Option(help: "The port to listen on; 0 for any free port (default: 8080).")
    var port: String?

    @Option(help: "A separate port with /livez and /readyz only, on its own thread; 0 for none (default: 0).")
    var healthPort: String?

    @Option(
        name: .customLong("public-url"), help: "The base URL of codes and links, which is the address that people open."
    )
    var publicURL: String?

    @Option(
        name: .customLong("pooler-url"),
        help: "The URL of PgBouncer in front of the same database; requests use it (default: none).")
    var poolerURL: String?

    @Option(
        name: .customLong("replica-url"),
        help: """
            The URL of a streaming replica of the same database; exports, filters, searches and results over rounds \
            read there (default: none).
            """)
    var replicaURL: String?

    @Option(
        name: .customLong("worker-urls"),
        help: """
            URLs of workers of a Citus cluster, separated by spaces; submissions to their forms are sent there without \
            the coordinator (default: none).
            """)
    var workerURLs: String?

    @Option(help: "Connections to the database for everything but submissions (default: 8).")
    var poolSize: String?

    @Option(help: "Connections that write submissions (default: 2).")
    var intakeConnections: String?

    @Option(help: "The maximum number of waiting submissions; further ones get 503 (default: 4096).")
    var intakeBound: String?

    @Option(help: "Connections that one client address may have; 0 for any number (default: three quarters of all).")
    var connectionsPerAddress: String?

    @Option(help: "Event streams that one client address may have; 0 for any number (default: three quarters of all).")
    var viewersPerAddress: String?

    @Option(help: "Days after which meetings and series in the trash are deleted permanently (default: 30).")
    var trashDays: String?

    @Option(help: "Days after a form's close after which all series delete its answers; none for their own choice.")
    var retentionDays: String?

    @Option(help: "on: anyone may create an account; off: only with an invitation (default: off).")
    var signUp: String?

    @Option(
        help: "The SMTP server that sends mail, such as smtps://user@smtp.example.org (default: none, see --sendmail).")
    var smtp: String?

    @Option(help: "The file with the password of the SMTP server's user.")
    var smtpPasswordFile: String?

    @Option(help: "The program that sends mail, or none to write mails to files (default: the system's sendmail).")
    var sendmail: String?

    @Option(help: "The sender of mails (default: afterword@ and the host of --public-url).")
    var mailFrom: String?

    @Option(help: "The number of proxies that add to X-Forwarded-For (default: 0).")
    var trustedProxies: String?

    @Option(help: "on: webhooks may be sent to this machine and private addresses; off: never (default: off).")
    var webhooksToPrivate: String?

    @Option(help: "Hosts that webhooks may be sent to, such as hooks.example.org or *.example.org (default: all).")
    var webhookHosts: String?

    @Option(help: "Sites that may show public forms in their pages, such as https://wiki.example.org (default: none).")
    var frameAncestors: String?

    var flags: [Setting: String] {
        let all: [Setting: String?] = [
            .host: host, .port: port, .healthPort: healthPort, .publicURL: publicURL, .poolerURL: poolerURL,
            .replicaURL: replicaURL, .workerURLs: workerURLs, .poolSize: poolSize,
            .intakeConnections: intakeConnections, .intakeBound: intakeBound,
            .connectionsPerAddress: connectionsPerAddress, .viewersPerAddress: viewersPerAddress,
            .trashDays: trashDays, .retentionDays: retentionDays, .signUp: signUp,
            .smtp: smtp, .smtpPasswordFile: smtpPasswordFile, .sendmail: sendmail, .mailFrom: mailFrom,
            .trustedProxies: trustedProxies,
            .webhooksToPrivate: webhooksToPrivate, .webhookHosts: webhookHosts, .frameAncestors: frameAncestors,
        ]
        return all.compactMapValues { $0 }
    }
}
