import Postgres

/// How many read texts at once.
///
/// A page of texts, or a search, may keep the database busy for as long as it is allowed to, and anybody with the form's
/// code may ask for it: so neither they nor hosts can have more than a quarter of the connections each, nor any for long.
final class TextSlots: Sendable {
    /// What holds for one reading. When the database gives it up, which is 503; and that rows come by an index in its
    /// order, a chunk at a time, whatever the planner has heard of the sizes of tables that grew a moment ago.
    static let limits: Statement = """
        SELECT set_config('statement_timeout', '2s', true), set_config('enable_seqscan', 'off', true),
            set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
            set_config('jit', 'off', true)
        """

    private let hosts: Slots
    private let others: Slots

    init(poolSize: Int) {
        hosts = Slots(poolSize / 4)
        others = Slots(poolSize / 4)
    }

    /// 503 when none becomes free in time.
    func take(forHost isHost: Bool) async throws -> Slot {
        try await (isHost ? hosts : others).take(
            within: .seconds(2), else: "Many read texts at the moment; try again later.", retryAfter: 2)
    }
}
