import BlockingWork
import Domain
import Foundation
import Postgres

/// Limits the number of concurrent readings over rounds, and the cost of each.
///
/// They sum many counts, so they get at most a quarter of the connections, each for a short time, and compute on
/// threads that serve no requests.
final class RoundReadings: Sendable {
    /// A time limit for the database, after which the response is 503, and a limit to one process. Each statement is
    /// planned for the forms it names: a generic plan, made before there are statistics, expects thousands of forms
    /// instead of ten, and takes seconds.
    private static let limits: Statement = """
        SELECT set_config('statement_timeout', '4s', true), set_config('max_parallel_workers_per_gather', '0', true),
            set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)
        """

    private let semaphore: Semaphore
    private let work: BlockingWork
    private let releaseLog: ReleaseLog

    init(poolSize: Int, releaseLog: ReleaseLog) {
        self.releaseLog = releaseLog
        semaphore = Semaphore(poolSize / 4)
        // Only holders of a permit use these threads.
        work = BlockingWork("afterword.rounds", atOnce: 1, waiting: max(1, poolSize))
    }

    /// Reads in one snapshot, then releases the connection and makes the response; throws 503 if no permit becomes free
    /// in time.
    ///
    /// - Parameter snapshots: Returns the states of open forms that the response shows.
    func run<Found: Sendable, T: Sendable>(
        on pool: Pool, _ read: @Sendable (Connection) async throws -> Found,
        showing snapshots: @escaping @Sendable (Found) throws -> [UUID: ReleasedSnapshot],
        then answer: @escaping @Sendable (Found) throws -> T
    ) async throws -> T {
        let permit = try await semaphore.acquire(
            within: .seconds(2), else: "Too many results over rounds are being read; try again later.", retryAfter: 2)
        defer { withExtendedLifetime(permit) {} }
        let found = try await releaseLog.reading {
            let found = try await pool.transaction(isolation: .repeatableRead) { connection in
                try await connection.query(Self.limits)
                return try await read(connection)
            }
            return (found, try snapshots(found))
        }
        return try await compute { try answer(found) }
    }

    /// The expensive part, on a separate thread.
    func compute<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        do {
            return try await work.run { Result(catching: body) }.get()
        } catch is BlockingWork.Overloaded {
            throw Problem(.overloaded, retryAfter: 2)
        }
    }
}
