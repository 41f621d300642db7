import Postgres

/// Limits how many requests read texts at once.
///
/// A page of texts, or a search, may keep the database busy for as long as it is allowed to, and anybody with the form's
/// code may ask for it: so neither they nor hosts can have more than a quarter of the connections each, nor any for long.
final class TextPermits: Sendable {
    /// What holds for one reading. When the database gives it up, which is 503; and that rows come by an index in its
    /// order, a chunk at a time, whatever the planner has heard of the sizes of tables that grew a moment ago.
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

    /// Throws 503 when no permit becomes free in time.
    func acquire(forHost isHost: Bool) async throws -> Permit {
        try await (isHost ? hosts : others).acquire(
            within: .seconds(2), else: "Many read texts at the moment; try again later.", retryAfter: 2)
    }
}
