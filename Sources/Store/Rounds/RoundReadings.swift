import BlockingWork
import Domain
import Foundation
import Postgres

/// How many read over rounds at once, and what one such reading may cost everybody else.
///
/// They add up a great many counts: so they have at most a quarter of the connections, none of them for long, and what
/// they work out is worked out beside what serves requests.
final class RoundReadings: Sendable {
    /// When the database gives a reading up, which is 503; and one process of it has to do. Each is planned for the forms
    /// it names: a plan for any number of them, made before there are statistics, takes ten for thousands, and seconds.
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
        // Nobody waits here who has no permit.
        work = BlockingWork("afterword.rounds", atOnce: 1, waiting: max(1, poolSize))
    }

    /// Reads in one snapshot, then lets the connection go and makes an answer of it; 503 when no permit becomes free in time.
    ///
    /// - Parameter glimpses: what is shown of forms that are open.
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

    /// What takes long, on a thread of its own.
    func compute<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        do {
            return try await work.run { Result(catching: body) }.get()
        } catch is BlockingWork.Overloaded {
            throw Problem(.overloaded, retryAfter: 2)
        }
    }
}
