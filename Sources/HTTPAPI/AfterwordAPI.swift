import Cryptography
import Domain
import Exports
import HTTPServer
import Images
import Logging
import Metrics
import Store
import StrictJSON

/// Builds the API on a store.
public enum AfterwordAPI {
    /// - Parameters:
    ///   - letters: The texts of mails.
    ///   - summaries: Writes the summaries of results that are mailed.
    ///   - reports: Makes reports as PDF files.
    ///   - logger: The logger of the security log. Requests are logged by the server's logger.
    ///   - pace: The timing of event streams; nil for the default.
    package static func api(
        store: Store, options: ServiceOptions = ServiceOptions(), letters: LetterCatalogues,
        summaries: SummaryWriter, reports: ReportWriter, metrics: PrometheusRegistry,
        limits: ConnectionLimits = ConnectionLimits(),
        logger: Logger = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() },
        pace: LiveHub.Pace? = nil
    ) throws -> API {
        let log = SecurityLog(logger, key: try store.keys.key(for: .loggedAddress))
        try OpenAPIDocument.requireShipped()
        let reader = ResultReader(store: store)
        let live = LiveHub(
            store: store, reader: reader, viewers: options.maxViewers, perAddress: options.maxViewersPerAddress,
            pace: pace ?? LiveHub.Pace())
        let viewers = Metrics.Gauge(label: "live_viewers", factory: metrics)
        let waiting = Metrics.Gauge(label: "intake_waiting", factory: metrics)
        let text = MetricsText(metrics) {
            waiting.record(store.submissions.depth)
            viewers.record(live.viewers)
        }
        let operations = Route.operations(
            metrics: text, document: OpenAPIDocument.load,
            unready: { await store.isReady() ? nil : Problem(.databaseUnavailable, retryAfter: 1) })
        return try API(
            routes: operations
                + routes(
                    store: store, options: options, letters: letters, summaries: summaries, reports: reports,
                    reader: reader, live: live, log: log),
            authenticate: { token in try await store.tokens.find(token) },
            authenticateTicket: { ticket in try await store.liveTickets.find(ticket) },
            translate: Store.problem,
            metrics: metrics, limits: limits, trustedProxies: options.trustedProxies, live: live, securityLog: log,
            policy: ResponsePolicy(publicURL: options.publicURL),
            // Leaves two connections for reads, unless the pool is smaller than three.
            writes: max(1, store.poolSize - 2))
    }

    /// All routes except the operational ones, for inspection. They must not be served, because no task runs their
    /// event streams, and their mails have no texts.
    public static func routes(store: Store, options: ServiceOptions = ServiceOptions()) -> [Route] {
        let reader = ResultReader(store: store)
        return routes(
            store: store, options: options, letters: LetterCatalogues([:]),
            summaries: SummaryWriter(languages: []) { _, _ in ("", "") },
            reports: ReportWriter(languages: []) { _, _, _ in [] }, reader: reader,
            live: LiveHub(store: store, reader: reader, viewers: 0), log: .silent)
    }

    private static func routes(
        store: Store, options: ServiceOptions, letters: LetterCatalogues, summaries: SummaryWriter,
        reports: ReportWriter, reader: ResultReader, live: LiveHub, log: SecurityLog
    ) -> [Route] {
        let codeLimit = CodeEnumerationLimit(attempts: store.attempts, log: log)
        let enumerationLimit = AccountEnumerationLimit(attempts: store.attempts)
        let hasher = PasswordHasher()
        let ownPassword = OwnPasswordCheck(store: store, hasher: hasher, log: log)
        let images = ImageCleaner()
        let filters = FilterReader(store: store)
        let meetings = MeetingReads(store: store)
        let sessions = SessionRoutes(
            store: store, hasher: hasher, ownPassword: ownPassword, log: log,
            limits: SignInLimits(attempts: store.attempts))
        return sessions.routes
            + SignUpRoutes(
                store: store, hasher: hasher, options: options, letters: letters, codeLimit: codeLimit, log: log
            ).routes
            + TokenRoutes(store: store).routes
            + ProfileRoutes(store: store, hasher: hasher, images: images, ownPassword: ownPassword).routes
            + ErasureRoutes(store: store, enumerationLimit: enumerationLimit).routes
            + InvitationRoutes(store: store, publicURL: options.publicURL, letters: letters).routes
            + AdminRoutes(store: store).routes
            + StorageRoutes(store: store).routes
            + MeetingRoutes(store: store).routes
            + StageRoutes(store: store).routes
            + DecisionRoutes(store: store).routes
            + SeriesRoutes(store: store).routes
            + RoundRoutes(store: store).routes
            + CalendarRoutes(store: store).routes
            + CoHostRoutes(store: store, enumerationLimit: enumerationLimit).routes
            + MemberRoutes(store: store).routes
            + JoinRoutes(store: store, codeLimit: codeLimit, options: options, letters: letters).routes
            + MeetingImageRoutes(store: store, images: images).routes
            + FormRoutes(store: store).routes
            + SavedTemplateRoutes(store: store).routes
            + PublicFormRoutes(store: store, codeLimit: codeLimit).routes
            + CheckInRoutes(store: store, codeLimit: codeLimit).routes
            + AttendeeRoutes(store: store, publicURL: options.publicURL).routes
            + PersonRoutes(store: store, codeLimit: codeLimit).routes
            + FormInvitationRoutes(store: store, publicURL: options.publicURL, letters: letters).routes
            + ResultRoutes(store: store, meetings: meetings, reader: reader, filters: filters).routes
            + CrossTabRoutes(store: store, reader: filters).routes
            + TermRoutes(store: store).routes
            + RoundResultRoutes(store: store).routes
            + PictureRoutes(store: store, meetings: meetings).routes
            + ReportRoutes(store: store, writer: reports).routes
            + ModerationRoutes(store: store).routes
            + ParticipantResultRoutes(store: store, reader: reader, codeLimit: codeLimit).routes
            + ShareRoutes(store: store, reader: reader, codeLimit: codeLimit, publicURL: options.publicURL).routes
            + SummaryMailRoutes(store: store, sendsMail: options.sendsMail, writer: summaries).routes
            + WebhookRoutes(store: store, targets: options.webhookTargets).routes
            + LiveRoutes(store: store, hub: live, codeLimit: codeLimit).routes
            + ExportRoutes(store: store).routes
            + CodeRoutes(store: store, address: PublicAddress(options.publicURL), codeLimit: codeLimit).routes
    }
}
