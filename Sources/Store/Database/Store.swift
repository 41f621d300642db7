import Domain
import Foundation
import Logging
import Postgres
import Words

/// The service's access to its database, through a connection pool, an intake for submissions and a small cache.
public final class Store: Sendable {
    public struct Configuration: Sendable {
        public var url: String
        /// The URLs with which the service logs in as its roles. If nil, it connects with `url` and changes the role,
        /// which a statement could undo.
        public var logins: Logins?
        /// The URL of a proxy that may run each transaction on another connection to the server, such as PgBouncer. If
        /// set, requests use it, with the rights of its login. Migrations, notifications and everything else that needs
        /// a session use `url`.
        public var poolerURL: String?
        /// The URL of a streaming replica. If set, exports, filters, searches and results over rounds read there.
        public var replicaURL: String?
        /// The URLs of workers of a Citus cluster. Submissions to their forms are sent there without the coordinator,
        /// to which `url` leads.
        public var workerURLs: [String] = []
        public var poolSize: Int
        /// The number of connections that write submissions. One more is opened once a large form is answered.
        public var lanes: Int
        /// The maximum number of submissions that wait to be written. Further ones are refused with 503.
        public var maxWaitingSubmissions: Int
        /// The maximum number of submissions in one commit.
        public var maxBatchSize: Int
        /// How many seconds a batch waits for the lock of a form. Then the form's submissions are refused with 503.
        public var lockTimeout = 1
        /// Limits on the cost of reading texts.
        public var texts = TextBounds()
        /// The result of `timeZones(url:)`, for callers that open many stores. If nil, the zones are read when they are
        /// first needed.
        public var timeZones: Set<String>?

        public init(
            url: String, poolSize: Int = 8, lanes: Int = 2, maxWaitingSubmissions: Int = 4096, maxBatchSize: Int = 256
        ) {
            self.url = url
            self.poolSize = poolSize
            self.lanes = lanes
            self.maxWaitingSubmissions = maxWaitingSubmissions
            self.maxBatchSize = maxBatchSize
        }
    }

    /// A library lacks data that the program needs. The description says how to install it.
    public struct LibraryFailure: Error, Sendable, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    public let pool: Pool
    /// The largest number of connections of `pool`.
    public var poolSize: Int { pool.size }
    public let accounts: Accounts
    public let tokens: Tokens
    public let attempts: Attempts
    public let meetings: Meetings
    public let forms: Forms
    public let submissions: Submissions
    public let results: Results
    public let exports: ExportReader
    public let texts: TextAnswers
    public let clock: FormClock
    public let finalising: Finalising
    public let dueWork: DueWork
    public let organisations: Organisations
    public let keys: KeyRing
    let readSource: ReadSource
    let replica: Replica?
    let filterPermits: FilterPermits
    let joinPermits: KeyedPermits<UUID>
    let roundReadings: RoundReadings
    public let largeResults = LargeResults()
    let safeFilters: SafeFilters
    let cache: FormCache
    let intake: Intake
    let readiness: Readiness
    let sessionConfiguration: PostgresConfiguration
    /// PostgreSQL's folder, if it is on this machine and known.
    public let postgresFolder: String?
    let logger: Logger

    /// Opens a migrated database. Throws `KeyRing.Failure` if the keys do not match the database, and `LibraryFailure`
    /// if ICU lacks the data for splitting texts into words.
    public static func open(_ configuration: Configuration, keys: KeyRing, logger: Logger) async throws -> Store {
        try await open(configuration, logger: logger) { _ in keys }
    }

    /// Opens a database with the keys that belong to it. All steps share one connection, because a new one costs
    /// PostgreSQL more than most of the steps.
    ///
    /// - Parameters:
    ///   - migrator: Updates the database first; nil if it is up to date.
    ///   - onMigration: Called with what `migrator` changed.
    ///   - keys: Returns the keys. It may throw to refuse the database.
    public static func open(
        _ configuration: Configuration, migrator: Migrator? = nil, logger: Logger,
        onMigration: (SchemaStatus) -> Void = { _ in }, keys: (DatabaseFacts) throws -> KeyRing
    ) async throws -> Store {
        do { try Words.requireData() } catch { throw LibraryFailure(description: error.description) }
        var sessionConfiguration = PostgresConfiguration(url: configuration.url)
        var requests: PostgresConfiguration?
        var workers: DirectWorkers?
        var folder: String?
        var hasCitus = false
        let ring = try await Connection.with(sessionConfiguration) { connection in
            if let migrator { onMigration(try await migrator.migrate(on: connection)) }
            let facts = try await DatabaseFacts.read(on: connection)
            folder = facts.folder
            hasCitus = facts.hasCitus
            let ring = try keys(facts)
            try await check(ring, facts, on: connection)
            if let logins = configuration.logins {
                try await logins.allow(on: connection)
                sessionConfiguration = PostgresConfiguration(url: logins.app)
            } else if try await connection.maySetRole("afterword_app") {
                sessionConfiguration.onConnect.append("SET ROLE afterword_app")
            }
            if let pooler = configuration.poolerURL.map(Pooler.init) {
                try await pooler.check(against: DatabaseFacts.read(on: connection))
                requests = pooler.configuration
            }
            if let url = configuration.replicaURL { try await checkReplica(at: url, of: connection, logger) }
            if !configuration.workerURLs.isEmpty {
                let named = DirectWorkers(urls: configuration.workerURLs, onConnect: sessionConfiguration.onConnect)
                for defect in try await named.check(on: connection) { logger.warning("\(defect)") }
                workers = named
            }
            return ring
        }
        return try Store(
            configuration, sessions: sessionConfiguration, requests: requests ?? sessionConfiguration,
            workers: workers, hasCitus: hasCitus, postgresFolder: folder, keys: ring, logger: logger)
    }

    /// - Parameters:
    ///   - sessions: For work that needs a session, such as notifications.
    ///   - requests: For requests, possibly through a proxy that does not keep sessions.
    ///   - workers: For submissions to their forms.
    private init(
        _ configuration: Configuration, sessions: PostgresConfiguration, requests: PostgresConfiguration,
        workers: DirectWorkers?, hasCitus: Bool, postgresFolder: String?, keys: KeyRing, logger: Logger
    ) throws {
        let pool = Pool(requests, size: configuration.poolSize, transactionsTakeTurns: hasCitus)
        let cache = FormCache(pool: pool, keys: keys)
        let formServers = workers.map { workers in
            FormServers(logger: logger) { try await workers.indexes(of: $0, pool) }
        }
        let intake = try Intake(
            configuration: requests, workers: workers?.configurations ?? [], formServers: formServers,
            lanes: configuration.lanes, maxWaitingSubmissions: configuration.maxWaitingSubmissions,
            maxBatchSize: configuration.maxBatchSize, lockTimeout: configuration.lockTimeout, logger: logger)
        sessionConfiguration = sessions
        self.postgresFolder = postgresFolder
        self.pool = pool
        self.keys = keys
        self.logger = logger
        self.cache = cache
        self.intake = intake
        organisations = Organisations(pool: pool)
        dueWork = DueWork(pool: pool, organisations: organisations)
        readiness = try Readiness(requests, pool: pool)
        accounts = Accounts(pool: pool)
        tokens = Tokens(pool: pool)
        attempts = Attempts(pool: pool, keys: keys)
        let zones = TimeZones(pool: pool, names: configuration.timeZones)
        meetings = Meetings(
            pool: pool, keys: keys, zones: zones, cache: cache,
            lists: MeetingLists(atOnce: max(1, configuration.poolSize / 2)))
        forms = Forms(pool: pool, cache: cache)
        submissions = Submissions(pool: pool, cache: cache, intake: intake)
        let releaseLog = ReleaseLog(pool: pool)
        let replica = try configuration.replicaURL.map { try Replica(url: $0, of: pool, logger: logger) }
        self.replica = replica
        readSource = ReadSource(primary: pool, replica: replica)
        results = Results(
            source: ReadSource(primary: pool), histories: FormHistories(pool: pool), releaseLog: releaseLog)
        exports = ExportReader(requests, replica: replica, keys: keys)
        filterPermits = FilterPermits(poolSize: configuration.poolSize)
        joinPermits = KeyedPermits(1, total: max(1, configuration.poolSize / 4))
        roundReadings = RoundReadings(
            source: readSource, poolSize: configuration.poolSize, releaseLog: releaseLog)
        safeFilters = SafeFilters(cache: cache)
        texts = TextAnswers(
            pool: pool, source: readSource, keys: keys, bounds: configuration.texts, poolSize: configuration.poolSize)
        finalising = Finalising(
            pool: pool,
            sessionConfiguration: PostgresConfiguration(url: configuration.logins?.owner ?? configuration.url),
            cache: cache,
            safeFilters: safeFilters, logger: logger)
        clock = FormClock(pool: pool, cache: cache, finalising: finalising, logger: logger)
    }

    /// Returns the names of the time zones that a database supports.
    public static func timeZones(url: String) async throws -> Set<String> {
        let pool = Pool(PostgresConfiguration(url: url), size: 1)
        do {
            let names = try await TimeZones.read(pool)
            await pool.close()
            return names
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Returns whether the database responds within half a second.
    public func isReady() async -> Bool { await readiness.isReady() }

    /// Closes all connections. Does not wait for requests, which must have been answered before.
    public func close() async {
        await finalising.close()
        await intake.close()
        await readiness.close()
        await exports.close()
        await readSource.close()
        await replica?.close()
        await pool.close()
    }

    /// Throws if the URL leads to another database. A replica that fails in another way may be used later.
    private static func checkReplica(at url: String, of primary: Connection, _ logger: Logger) async throws {
        do {
            try await Replica.check(url: url, against: primary)
        } catch let failure as Replica.Failure where !failure.isOtherDatabase {
            logger.warning("The replica cannot be used yet", metadata: ["error": "\(failure)"])
        }
    }

    /// Stores the check values of the keys that are new to the database. Throws `KeyRing.Failure` if a key is missing
    /// or differs from the stored check value.
    static func check(_ keys: KeyRing, _ facts: DatabaseFacts, on connection: Connection) async throws {
        var facts = facts
        let new = keys.numbers.filter { facts.checkValues[$0] == nil }
        for number in new {
            let value = try keys.checkValue(number)
            try await connection.execute(
                "INSERT INTO secret_key (id, check_value) VALUES (\(number), \(value)) ON CONFLICT DO NOTHING")
        }
        // Another instance may have stored another value in the meantime.
        if !new.isEmpty { facts = try await DatabaseFacts.read(on: connection) }
        if let refusal = try facts.refusal(of: keys) { throw refusal }
    }
}

extension Connection {
    /// Returns whether the role exists and the connected user may `SET ROLE` to it. PostgreSQL 16 and later have a
    /// separate privilege for it.
    public func maySetRole(_ role: String) async throws -> Bool {
        try await query(
            """
            SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = \(role) AND pg_has_role(oid,
                CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END))
            """
        ).single().decode(Bool.self)
    }
}

extension UUIDv7 {
    /// Returns an id that contains the current time. The time is used only to order ids.
    static func make() -> UUID { make(now: Date()) }
}

/// Some parts of a sweep failed. Each failure has been logged, and all other parts have run.
public struct SweepFailure: Error, Sendable, CustomStringConvertible {
    /// The names of the failed parts.
    public var parts: [String]

    public var description: String { "expired rows were not deleted: \(parts.joined(separator: ", "))" }
}

extension Store {
    private typealias Part = (name: String, run: @Sendable () async throws -> Void)

    /// Deletes expired rows. Each part runs even if others fail; several instances may sweep at the same time. Throws
    /// `SweepFailure` if any part failed.
    public func sweep() async throws {
        var failed: [String] = []
        for part in parts {
            do {
                try await part.run()
            } catch {
                if Task.isCancelled { throw error }
                logger.warning("Deleting expired rows failed", metadata: ["part": "\(part.name)", "error": "\(error)"])
                failed.append(part.name)
            }
        }
        guard failed.isEmpty else { throw SweepFailure(parts: failed) }
    }

    private var parts: [Part] {
        let statements: [(name: String, statement: Statement)] =
            Outbox.sweeps + Attempts.sweeps + [
                ("registration", "DELETE FROM registration WHERE expires_at < now() - interval '1 day'"),
                ("password_reset", "DELETE FROM password_reset WHERE expires_at < now() - interval '1 day'"),
                ("token", "DELETE FROM token WHERE expires_at < now() - interval '30 days'"),
                ("share", Shares.sweep),
                ("live_ticket", "DELETE FROM live_ticket WHERE expires_at < now()"),
            ]
        let deletions = statements.map { [pool] name, statement -> Part in
            (name, { @Sendable in try await pool.execute(statement) })
        }
        let others: [Part] = [
            ("meetings in the trash", { try await self.purgeMeetings() }),
            ("series in the trash", { try await self.purgeSeries() }),
            ("answers", { try await self.answerExpiry.run() }),
            ("image", { try await self.meetingImages.sweep() }),
        ]
        return deletions + WebhookQueue.sweeps(pool) + others
    }
}
