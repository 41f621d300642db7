import Postgres
import Synchronization

/// Finds due work, with one statement for all services of the process. Usually there is none, and each service would
/// need its own statements to see that.
public final class DueWork: Sendable {
    public struct Kinds: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Mails in the outbox.
        public static let mail = Kinds(rawValue: 1)
        /// Deliveries to webhooks.
        public static let webhooks = Kinds(rawValue: 2)
        /// Forms that the clock publishes, opens, closes or makes final.
        public static let forms = Kinds(rawValue: 4)
    }

    private let pool: Pool
    private let latest = Mutex<(at: ContinuousClock.Instant, kinds: Kinds)?>(nil)
    private let flights = SingleFlight<Bool, Kinds>()

    init(pool: Pool) {
        self.pool = pool
    }

    /// Whether work of a kind may be due, as of at most `age` ago. True as well when the database cannot be queried, so
    /// that the calling service tries, fails, and reports it.
    public func isDue(_ kind: Kinds, age: Duration) async -> Bool {
        if let latest = latest.withLock({ $0 }), latest.at.duration(to: .now) < age {
            return latest.kinds.contains(kind)
        }
        let begun = ContinuousClock.now
        let answer = await flights.value(
            for: true, storing: { kinds in self.latest.withLock { $0 = (begun, kinds) } },
            load: { try await Self.kinds(self.pool.query(Self.statement)) })
        return (try? answer.outcome.get())?.contains(kind) ?? true
    }

    private static func kinds(_ rows: Rows) throws -> Kinds {
        let (mail, webhooks, forms) = try rows.single().decode(Bool.self, Bool.self, Bool.self)
        var kinds: Kinds = []
        if mail { kinds.insert(.mail) }
        if webhooks { kinds.insert(.webhooks) }
        if forms { kinds.insert(.forms) }
        return kinds
    }

    /// Each part finds due rows by an index; usually there are none. The parts are in FROM, where Citus accepts them.
    private static let statement: Statement = """
        SELECT m.count > 0, d.count > 0, f.count + s.count + c.count + w.count > 0
        FROM (SELECT count(*) FROM (SELECT 1 FROM outbox
                WHERE sent_at IS NULL AND failed_at IS NULL AND next_try_at <= now() LIMIT 1) x) AS m,
            (SELECT count(*) FROM (SELECT 1 FROM webhook_delivery
                WHERE delivered_at IS NULL AND failed_at IS NULL AND next_try_at <= now() LIMIT 1) x) AS d,
            (SELECT count(*) FROM (\(fragment: FormClock.dueDrafts)) x) AS f,
            (SELECT count(*) FROM (\(fragment: FormClock.dueStates)) x) AS s,
            (SELECT count(*) FROM (\(fragment: FormClock.dueFinals)) x) AS c,
            (SELECT count(*) FROM (\(fragment: FormClock.onTheirWay)) x) AS w
        """
}
