import Cryptography
import Domain
import Exports
import Images
import Metrics
import Store
import StrictJSON

/// The whole API over one store.
public enum AfterwordAPI {
    public static func api(
        store: Store, options: ServiceOptions = ServiceOptions(), metrics: PrometheusRegistry
    ) throws -> API {
        let document = try OpenAPIDocument.load()
        let waiting = Metrics.Gauge(label: "intake_waiting", factory: metrics)
        let operations = Route.operations(
            metrics: metrics, document: document, sample: { waiting.record(store.submissions.depth) },
            unready: { await store.isReady() ? nil : Problem(.databaseUnavailable, retryAfter: 1) })
        return try API(
            routes: operations + routes(store: store, options: options),
            authenticate: { token in try await store.tokens.find(token) },
            translate: Store.problem,
            metrics: metrics, trustedProxies: options.trustedProxies)
    }

    /// Every route of the contract that is built, in the order of the contract.
    public static func routes(store: Store, options: ServiceOptions = ServiceOptions()) -> [Route] {
        let guessing = CodeGuessing()
        let strangers = AddressGuessing()
        let hasher = PasswordHasher()
        let images = ImageCleaner()
        let reader = ResultReader(store: store)
        return SessionRoutes(store: store, hasher: hasher).routes
            + SignUpRoutes(store: store, hasher: hasher, options: options, guessing: guessing).routes
            + TokenRoutes(store: store).routes
            + ProfileRoutes(store: store, hasher: hasher, images: images).routes
            + DepartureRoutes(store: store, strangers: strangers).routes
            + InvitationRoutes(store: store, publicURL: options.publicURL).routes
            + AdminRoutes(store: store).routes
            + MeetingRoutes(store: store).routes
            + SeriesRoutes(store: store).routes
            + RoundRoutes(store: store).routes
            + CalendarRoutes(store: store).routes
            + CoHostRoutes(store: store, strangers: strangers).routes
            + MemberRoutes(store: store).routes
            + JoinRoutes(store: store, guessing: guessing, publicURL: options.publicURL).routes
            + MeetingImageRoutes(store: store, images: images).routes
            + FormRoutes(store: store).routes
            + PublicFormRoutes(store: store, guessing: guessing).routes
            + CheckInRoutes(store: store, guessing: guessing).routes
            + AttendeeRoutes(store: store, publicURL: options.publicURL).routes
            + PersonRoutes(store: store, guessing: guessing).routes
            + FormInvitationRoutes(store: store, publicURL: options.publicURL).routes
            + ResultRoutes(store: store, reader: reader).routes
            + ModerationRoutes(store: store).routes
            + ParticipantResultRoutes(store: store, reader: reader, guessing: guessing).routes
            + ShareRoutes(store: store, reader: reader, guessing: guessing, publicURL: options.publicURL).routes
            + WebhookRoutes(store: store, privately: options.webhooksToPrivate).routes
            + ExportRoutes(store: store).routes
            + CodeRoutes(store: store, address: PublicAddress(options.publicURL), guessing: guessing).routes
    }
}
