import Logging
import Postgres
import Synchronization

/// A streaming replica of the database, for expensive reads.
///
/// A read uses the replica only once it has replayed everything that was committed on the primary before the read
/// began, so that readers see what they and others have written. A replica that fails, or that does not catch up in
/// time, is not used again before `pause` is over.
public final class Replica: Sendable {
    /// Why a replica cannot be used.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
        /// Whether the URL leads to other data, so that the service must not start with it.
        public var isOtherDatabase = false
    }

    /// A database, and a position in the write-ahead log of its server.
    struct Position {
        /// Identifies the server and its replicas. `initdb` chose it.
        var system: Int
        var database: String
        /// PostgreSQL's text of the position, such as `16/B374D848`.
        var log: String

        /// Reads the position of the primary that contains everything committed so far. Without synchronous commits,
        /// that includes what has not been flushed yet.
        static func read(on connection: Connection) async throws -> Position {
            let row = try await connection.query(
                """
                SELECT system_identifier, current_database()::text, (CASE current_setting('synchronous_commit')
                    WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END)::text
                FROM pg_control_system()
                """
            ).single()
            let (system, database, log) = try row.decode(Int.self, String.self, String.self)
            return Position(system: system, database: database, log: log)
        }
    }

    /// How long a read waits for the replica to catch up.
    static let patience: Duration = .milliseconds(300)
    static let pause: Duration = .seconds(5)

    let configuration: PostgresConfiguration
    private let primary: Pool
    /// Detects a replica that hangs, on a connection of its own. `probe` is the pool that it needs for that.
    private let readiness: Readiness
    private let probe: Pool
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var isUsed = true
        /// The end of the pause after a failure.
        var pauseEnd: ContinuousClock.Instant?
    }

    init(url: String, of primary: Pool, logger: Logger) throws(PostgresError) {
        configuration = PostgresConfiguration(url: url)
        self.primary = primary
        self.logger = logger
        probe = Pool(configuration, size: 1)
        readiness = try Readiness(configuration, pool: probe)
    }

    /// Returns the position that the replica must have replayed before the next read. Returns nil if the replica can't
    /// be used now.
    func position() async -> Position? {
        guard state.withLock({ $0.pauseEnd.map { $0 <= .now } ?? true }) else { return nil }
        async let responds = readiness.isReady()
        // If the primary fails, the read that follows reports it.
        let position = try? await primary.withConnection { try await Position.read(on: $0) }
        guard await responds else {
            report(Failure(description: "it does not respond"))
            return nil
        }
        return position
    }

    /// Waits until the server of `connection` has replayed the log up to `position`. The connection must not be in a
    /// transaction, whose snapshot could be older. Throws `Failure` if the server is not a replica of the primary, or
    /// if it has not caught up within `patience`.
    func requireCurrent(_ connection: Connection, at position: Position) async throws {
        try await Self.requireCurrent(connection, at: position)
        reportUse()
    }

    private static func requireCurrent(_ connection: Connection, at position: Position) async throws {
        let deadline = ContinuousClock.now + patience
        while true {
            let (isSameDatabase, isReplica, isCurrent) = try await connection.query(
                """
                SELECT system_identifier = \(position.system) AND current_database() = \(position.database),
                    pg_is_in_recovery(), pg_last_wal_replay_lsn() >= \(position.log)::pg_lsn
                FROM pg_control_system()
                """
            ).single().decode(Bool.self, Bool.self, Bool?.self)
            guard isSameDatabase else { throw Failure(description: "it has another database", isOtherDatabase: true) }
            guard isReplica else {
                // A new connection may lead to another server, if the URL names several.
                await connection.close()
                throw Failure(description: "it is a primary itself")
            }
            if isCurrent == true { return }
            guard ContinuousClock.now < deadline else { throw Failure(description: "it lags behind the primary") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func reportUse() {
        let wasUsed = state.withLock { state in
            state.pauseEnd = nil
            defer { state.isUsed = true }
            return state.isUsed
        }
        if !wasUsed { logger.notice("The replica is used again") }
    }

    /// Begins a pause, and logs the failure unless it follows another one.
    func report(_ failure: any Error) {
        let wasUsed = state.withLock { state in
            state.pauseEnd = .now + Self.pause
            defer { state.isUsed = false }
            return state.isUsed
        }
        if wasUsed {
            logger.warning(
                "The replica cannot be used, so expensive reads use the primary", metadata: ["error": "\(failure)"])
        }
    }

    func close() async {
        await readiness.close()
        await probe.close()
    }
}

extension Replica {
    /// Compares the server at `url` with the primary. Throws `Failure` if it cannot be reached, has not caught up, is
    /// not a replica, or is one of another server.
    ///
    /// - Returns: Whether the replica reports its snapshots to the primary (`hot_standby_feedback`). If it does not,
    ///   the primary removes rows that long reads need, and these reads are cancelled.
    @discardableResult
    public static func check(url: String, against primary: Connection) async throws -> Bool {
        let position = try await Position.read(on: primary)
        do {
            return try await Connection.with(PostgresConfiguration(url: url)) { connection in
                try await requireCurrent(connection, at: position)
                return try await connection.query("SELECT current_setting('hot_standby_feedback') = 'on'").single()
                    .decode(Bool.self)
            }
        } catch let failure as Failure where failure.isOtherDatabase {
            throw Failure(
                description: "replica-url leads to another database than database-url.", isOtherDatabase: true)
        } catch let failure as Failure {
            throw Failure(description: "The server of replica-url cannot be used now: \(failure).")
        } catch let error as PostgresError {
            throw Failure(description: "replica-url cannot be used: \(error)")
        }
    }

    /// Does the same with the primary's URL.
    @discardableResult
    public static func check(url: String, againstPrimaryAt primary: String) async throws -> Bool {
        try await Connection.with(PostgresConfiguration(url: primary)) { try await check(url: url, against: $0) }
    }
}
