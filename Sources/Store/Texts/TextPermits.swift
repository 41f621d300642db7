import Postgres

/// Limits how many requests read texts at the same time.
///
/// A page of texts, or a search, may occupy the database for as long as it is allowed to, and anybody with the form's
/// code may request it. So hosts and participants each get at most a quarter of the connections, each for a short time.
final class TextPermits: Sendable {
    /// Settings of one reading: the time after which the database gives up, which is answered 503, and plans that read
    /// rows in the order of an index, a chunk at a time, whatever statistics the planner has of tables that have just
    /// grown.
    static let limits: Statement = """
        SELECT set_config('statement_timeout', '2s', true), set_config('enable_seqscan', 'off', true),
            set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
            set_config('jit', 'off', true)
        """

    private let hosts: Semaphore
    private let others: Semaphore

    init(poolSize: Int) {
        hosts = Semaphore(poolSize / 4)
        others = Semaphore(poolSize / 4)
    }

    /// Throws 503 if no permit becomes free in time.
    func acquire(forHost isHost: Bool) async throws -> Permit {
        try await (isHost ? hosts : others).acquire(
            within: .seconds(2), else: "Many read texts at the moment; try again later.", retryAfter: 2)
    }
}
