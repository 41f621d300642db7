import BlockingWork
import Domain
import Foundation
import Postgres

/// Limits how many requests read over rounds at the same time, and what each may cost.
///
/// They add up very many counts. So they get at most a quarter of the connections, each for a short time, and compute
/// on threads that serve no requests.
final class RoundReadings: Sendable {
    /// The time after which the database gives up, which is answered 503, and the limit of one process. Each statement
    /// is planned for the forms it names: a generic plan, made before there are statistics, takes ten forms for
    /// thousands, and seconds.
    private static let limits: Statement = """
        SELECT set_config('statement_timeout', '4s', true), set_config('max_parallel_workers_per_gather', '0', true),
            set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)
        """

    private let semaphore: Semaphore
    private let work: BlockingWork
    private let noted: ReleaseLog

    init(poolSize: Int, noted: ReleaseLog) {
        self.noted = noted
        semaphore = Semaphore(poolSize / 4)
        // Only holders of a permit get here.
        work = BlockingWork("afterword.rounds", atOnce: 1, waiting: max(1, poolSize))
    }

    /// Reads in one snapshot, then releases the connection and makes the response; throws 503 if no permit becomes free
    /// in time.
    ///
    /// - Parameter glimpses: What is shown of open forms.
    func run<Found: Sendable, T: Sendable>(
        on pool: Pool, _ read: @Sendable (Connection) async throws -> Found,
        showing glimpses: @escaping @Sendable (Found) throws -> [UUID: ReleasedSnapshot],
        then answer: @escaping @Sendable (Found) throws -> T
    ) async throws -> T {
        let permit = try await semaphore.acquire(
            within: .seconds(2), else: "Many read results over rounds at the moment; try again later.", retryAfter: 2)
        defer { withExtendedLifetime(permit) {} }
        let found = try await noted.reading {
            let found = try await pool.transaction(isolation: .repeatableRead) { connection in
                try await connection.query(Self.limits)
                return try await read(connection)
            }
            return (found, try glimpses(found))
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
