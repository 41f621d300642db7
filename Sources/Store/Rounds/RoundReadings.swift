import BlockingWork
import Domain
import Foundation
import Postgres

/// Limits the number of concurrent readings over rounds, and the cost of each.
///
/// Readings over rounds add up many counts. Together they use at most a quarter of the connections, each for a short
/// time, and they compute on a thread that serves no requests. An account has one reading at a time, and the accounts take
/// turns on the thread, so that each leaves permits and turns to others.
final class RoundReadings: Sendable {
    /// Settings of one reading: a time limit for each statement, after which the response is 503, no parallel workers,
    /// and a new plan for each statement. A generic plan, made before there are statistics, would expect thousands of
    /// forms instead of ten, and the statement would take seconds.
    private static let limits: Statement = """
        SELECT set_config('statement_timeout', '4s', true), set_config('max_parallel_workers_per_gather', '0', true),
            set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)
        """

    let accountPermits = KeyedPermits<UUID>(1)
    private let semaphore: Semaphore
    let work: BlockingWork
    private let source: ReadSource
    private let releaseLog: ReleaseLog

    init(source: ReadSource, poolSize: Int, releaseLog: ReleaseLog) {
        self.source = source
        self.releaseLog = releaseLog
        semaphore = Semaphore(poolSize / 4)
        // Only holders of a permit use this thread.
        work = BlockingWork("afterword.rounds", maximumRunning: 1, maximumWaiting: max(1, poolSize))
    }

    /// Runs `read` in one snapshot, then releases the connection and builds the response with `render` on a separate
    /// thread. Throws 503 if no permit becomes free in time.
    ///
    /// - Parameters:
    ///   - accountID: The requesting account. Nil for readings of the service itself, which need no permit of an account.
    ///   - snapshots: Returns the released states of open forms that the response shows. They are recorded in the
    ///     release log.
    func run<Reading: Sendable, T: Sendable>(
        for accountID: UUID? = nil, _ read: @Sendable (Connection) async throws -> Reading,
        showing snapshots: @escaping @Sendable (Reading) throws -> [UUID: ReleasedSnapshot],
        then render: @escaping @Sendable (Reading) throws -> T
    ) async throws -> T {
        // Waiting for the account's own permit takes no permit from other accounts.
        var lease: KeyedPermits<UUID>.Lease?
        if let accountID {
            lease = try await accountPermits.acquire(
                for: accountID, within: .seconds(5),
                else: "Other results over rounds are being read for you; try again later.", retryAfter: 2)
        }
        defer { withExtendedLifetime(lease) {} }
        let permit = try await semaphore.acquire(
            within: .seconds(2), else: "Too many results over rounds are being read; try again later.", retryAfter: 2)
        defer { withExtendedLifetime(permit) {} }
        let reading = try await releaseLog.recordingReads {
            let reading = try await source.transaction { connection in
                try await connection.query(Self.limits)
                return try await read(connection)
            }
            return (reading, try snapshots(reading))
        }
        return try await compute(for: accountID) { try render(reading) }
    }

    /// Runs an expensive computation on a separate thread when it is the account's turn.
    func compute<T: Sendable>(
        for accountID: UUID?, _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        do {
            return try await work.run(for: accountID?.uuidString ?? "") { Result(catching: body) }.get()
        } catch is BlockingWork.Overloaded {
            throw Problem(.overloaded, retryAfter: 2)
        }
    }
}
