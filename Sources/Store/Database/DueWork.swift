import Postgres
import Synchronization

/// Checks for due work, with one statement for all background services of the process. Usually no work is due, and each
/// service would otherwise run its own statements only to find that out. The statement also reads the revision of the
/// organisation, so that all instances notice a change of its name or logo.
public final class DueWork: Sendable {
    public struct Kinds: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Mails in the outbox.
        public static let mail = Kinds(rawValue: 1)
        /// Deliveries to webhooks.
        public static let webhooks = Kinds(rawValue: 2)
        /// Forms that `FormClock` has to publish, open, close or make final.
        public static let forms = Kinds(rawValue: 4)
    }

    private let pool: Pool
    private let latest = Mutex<(at: ContinuousClock.Instant, kinds: Kinds)?>(nil)
    private let flights = SingleFlight<Bool, Kinds>()

    private let organisations: Organisations

    init(pool: Pool, organisations: Organisations) {
        self.pool = pool
        self.organisations = organisations
    }

    /// Returns whether work of a kind may be due, according to a check at most `age` ago. Also returns true if the
    /// database cannot be queried; the calling service then gets the error itself and reports it.
    public func isDue(_ kind: Kinds, age: Duration) async -> Bool {
        if let latest = latest.withLock({ $0 }), latest.at.duration(to: .now) < age {
            return latest.kinds.contains(kind)
        }
        let start = ContinuousClock.now
        let result = await flights.value(
            for: true, storing: { kinds in self.latest.withLock { $0 = (start, kinds) } },
            load: {
                let row = try await self.pool.query(Self.statement).single()
                self.organisations.note(revision: try row.decode(Int.self, at: 3))
                return try Self.kinds(row)
            })
        return (try? result.outcome.get())?.contains(kind) ?? true
    }

    private static func kinds(_ row: Row) throws -> Kinds {
        let (mail, webhooks, forms, _) = try row.decode(Bool.self, Bool.self, Bool.self, Int.self)
        var kinds: Kinds = []
        if mail { kinds.insert(.mail) }
        if webhooks { kinds.insert(.webhooks) }
        if forms { kinds.insert(.forms) }
        return kinds
    }

    /// Each subquery finds due rows by an index. The subqueries are in FROM, because Citus does not accept them
    /// elsewhere.
    private static let statement: Statement = """
        SELECT m.count > 0, d.count > 0, f.count + s.count + c.count + w.count > 0, o.revision
        FROM (SELECT count(*) FROM (SELECT 1 FROM outbox
                WHERE sent_at IS NULL AND failed_at IS NULL AND next_try_at <= now() LIMIT 1) x) AS m,
            (SELECT count(*) FROM (SELECT 1 FROM webhook_delivery
                WHERE delivered_at IS NULL AND failed_at IS NULL AND next_try_at <= now() LIMIT 1) x) AS d,
            (SELECT count(*) FROM (\(fragment: FormClock.dueDrafts)) x) AS f,
            (SELECT count(*) FROM (\(fragment: FormClock.dueStates)) x) AS s,
            (SELECT count(*) FROM (\(fragment: FormClock.dueFinals)) x) AS c,
            (SELECT count(*) FROM (\(fragment: FormClock.finalisingForms)) x) AS w,
            (SELECT coalesce(max(revision), 0) AS revision FROM organisation) AS o
        """
}
