import EmbeddedPostgres
import Foundation
import HTTPAPI
import HTTPServer
import Logging
import Mail
import ServiceLifecycle
import Store
import WebPages
import Webhooks

/// One running service: the private cluster (if used), the store, the API and the pages.
struct Instance {
    /// The time allowed at a shutdown for requests in flight and event streams to finish.
    static let longestDrain: Duration = .seconds(30)

    let settings: Settings
    let logger: Logger

    /// Returns after a graceful shutdown. A signal during the start cancels the start.
    func run() async throws {
        let transport = try settings.mailTransport(logger)
        let files = OpenFileLimit.raise()
        let limits = settings.clientLimits(connections: try connections(under: files))
        let stopRequest = await StopRequest.listen()
        let cluster = settings.databaseURL == nil ? EmbeddedPostgres(folder: settings.data, logger: logger) : nil
        let outcome: Result<Void, any Error>
        do {
            let services = try await stopRequest.cancelling {
                try await start(cluster, transport, limits, files: files.soft)
            }
            try await group(services, stopRequest).run()
            outcome = .success(())
        } catch let failure as Failure where failure == .interrupted {
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await cluster?.stop()
        try outcome.get()
    }

    private func connections(under limit: OpenFileLimit) throws(Failure) -> Int {
        let connections = settings.connections(under: limit)
        guard connections >= OpenFileLimit.minConnections else {
            throw Failure(
                "The limit of open files, \(limit.soft), leaves no room for connections: raise it with ulimit -n, "
                    + "LimitNOFILE= of systemd or --ulimit of containers.")
        }
        return connections
    }

    private func reserveHealthPort() throws -> PortReservation? {
        guard let port = settings.healthPort else { return nil }
        do {
            return try PortReservation(host: settings.host, port: port)
        } catch .portInUse(let host, let port) {
            throw Failure(
                "Port \(port) on \(host) is in use: stop the process that uses it, or choose another with --health-port."
            )
        }
    }

    /// Starts the service and returns its parts in the order in which they start. They stop in reverse order.
    private func start(
        _ cluster: EmbeddedPostgres?, _ transport: any MailTransport, _ limits: ClientLimits, files: Int
    ) async throws -> [any ServiceLifecycle.Service] {
        let host = settings.host
        let reservation = try PortReservation(host: host, port: settings.port)
        let healthReservation = try reserveHealthPort()
        // Loaded while PostgreSQL starts.
        async let resources = PageResources.load()
        let isNew = cluster != nil && (try? EmbeddedPostgres.requireCluster(in: settings.data)) == nil
        let credentials = isNew ? Task { try await FirstAdmin.Credentials.make() } : nil
        let database: Database
        if let cluster {
            database = Database(url: try await cluster.start(), origin: .own)
        } else {
            database = Database(url: settings.databaseURL ?? "", origin: .named)
        }
        let store = try await database.open(settings, migrates: true, forService: true, logger) { changes in
            for step in changes.steps {
                logger.info("Migration applied", metadata: ["step": "\(step.number) \(step.name)"])
            }
            for function in changes.functions {
                logger.info("Function installed", metadata: ["name": "\(function.name)"])
            }
        }
        do {
            if try await store.apply(settings.retention) {
                let days = settings.retention.limitDays.map { "\($0)" } ?? "none"
                logger.notice(
                    "Retention settings changed",
                    metadata: ["trash-days": "\(settings.retention.trashDays)", "retention-days": "\(days)"])
            }
            // Both calls open connections while the API is being built.
            async let admin = firstAdmin.makeIfNeeded(in: store, credentials)
            async let readiness = store.isReady()
            let port = reservation?.port ?? settings.port
            let options = ServiceOptions(
                publicURL: settings.linkBase(port: port), trustedProxies: settings.trustedProxies,
                allowsSignUp: settings.allowsSignUp, sendsMail: !(transport is MailFolder),
                webhookTargets: settings.webhookTargets, maxViewers: limits.viewers,
                maxViewersPerAddress: limits.viewersPerAddress)
            let metrics = PrometheusRegistry()
            let pageResources = try await resources
            let reports = pageResources.reports(environment: ProcessInfo.processInfo.environment)
            let api = try AfterwordAPI.api(
                store: store, options: options, letters: pageResources.letters,
                summaries: pageResources.summaries, reports: reports, metrics: metrics, logger: logger)
            let closedResults = ClosedResultLetters(
                store: store, summaries: pageResources.summaries, reports: reports, letters: pageResources.letters,
                publicURL: options.publicURL)
            let digests = DigestLetters(
                store: store, summaries: pageResources.summaries, letters: pageResources.letters,
                publicURL: options.publicURL)
            let pages = WebSiteOptions(
                publicURL: options.publicURL, frameAncestors: settings.frameAncestors,
                sendsMail: options.sendsMail, allowsSignUp: options.allowsSignUp,
                csrfKey: try store.keys.key(for: .csrf), dataFolder: settings.data, command: CommandLine.arguments)
            let site = WebSite(api, store: store, resources: pageResources, options: pages)
            let isFirstStart = try await admin
            _ = await readiness
            // Logged after everything that may prevent the start: the reason for a failed start must be the only line.
            logger.notice("Limits of clients", metadata: limits.metadata(files: files))
            let server = Server(
                api, behind: site, host: host, port: port, connections: limits.connections,
                connectionsPerAddress: limits.connectionsPerAddress, logger: logger
            ) { port in
                reservation?.release()
                healthReservation?.release()
                let address = Settings.address(host: host, port: port)
                if isFirstStart {
                    announce(
                        "Open \(address) in a browser, sign in as \(FirstAdmin.address), and create your first meeting."
                    )
                }
                if let command = pages.reachableCommand {
                    announce("Phones cannot open this address. To allow it, stop the service and start: \(command)")
                }
                Terminal.print("Afterword answers at \(address)")
            }
            let health = try settings.healthPort.map {
                try api.healthServer(metrics: metrics, host: host, port: $0, logger: logger)
            }
            let services: [any ServiceLifecycle.Service] = [
                StoreCloser(store: store), Housekeeping(store: store, logger: logger),
                FormClockService(store: store, logger: logger),
                MailDeliverer(
                    store: store, transport: transport, sender: settings.mailFrom, logger: logger,
                    write: { source in
                        source.meetingID == nil
                            ? try await digests.letter(of: source) : try await closedResults.letter(of: source)
                    }),
                WebhookDeliverer(
                    store: store, sender: WebhookSender(to: settings.webhookTargets), logger: logger),
                ResultPublisher(store: store, logger: logger),
                HealthGauges(store: store, data: settings.data, metrics: metrics),
                MemoryRelease(), server,
            ]
            return (cluster.map { [$0] } ?? []) + (health.map { [$0] } ?? []) + services
        } catch {
            await store.close()
            throw error
        }
    }

    private var firstAdmin: FirstAdmin {
        FirstAdmin(
            folder: settings.data, showsPassword: settings.logFormat == .text && Terminal.isErrorStreamInteractive,
            announce: announce)
    }

    @Sendable private func announce(_ sentence: String) {
        Log.announce(sentence, by: logger, as: settings.logFormat)
    }

    private func group(_ services: [any ServiceLifecycle.Service], _ stopRequest: StopRequest) -> ServiceGroup {
        // The last service, so that it stops first.
        let stopService = ServiceGroupConfiguration.ServiceConfiguration(
            service: StopService(stopRequest: stopRequest),
            successTerminationBehavior: .gracefullyShutdownGroup)
        let configurations = services.map {
            // The default name describes all of the service's members, which takes several milliseconds.
            ServiceGroupConfiguration.ServiceConfiguration(
                service: $0, failureTerminationBehavior: .gracefullyShutdownGroup,
                serviceName: _typeName(type(of: $0), qualified: false))
        }
        var quietLogger = logger
        // The group must not log an error that the program prints as a sentence at the end.
        quietLogger.logLevel = max(logger.logLevel, .critical)
        var configuration = ServiceGroupConfiguration(services: configurations + [stopService], logger: quietLogger)
        configuration.maximumGracefulShutdownDuration = Self.longestDrain
        return ServiceGroup(configuration: configuration)
    }
}

/// Closes the store once everything that uses it has stopped.
struct StoreCloser: ServiceLifecycle.Service {
    let store: Store

    func run() async throws {
        try? await gracefulShutdown()
        await store.close()
    }
}
