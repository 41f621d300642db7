import Postgres

/// How many count submissions under a condition at once: at most a quarter of the connections, and none for long.
final class FilterSlots: Sendable {
    /// When the database gives one counting up, which is 503 then: for a machine far slower than the bound was made for.
    static let limit: Statement = "SET LOCAL statement_timeout = '2s'"

    private let slots: Slots

    init(poolSize: Int) { slots = Slots(poolSize / 4) }

    /// 503 when none becomes free in time.
    func take() async throws -> Slot {
        try await slots.take(
            within: .seconds(2), else: "Many count answers at the moment; try again later.", retryAfter: 2)
    }
}
