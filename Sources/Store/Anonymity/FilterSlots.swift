/// How many count submissions under a condition at once: at most a quarter of the connections.
final class FilterSlots: Sendable {
    private let slots: Slots

    init(poolSize: Int) { slots = Slots(poolSize / 4) }

    /// 503 when none becomes free in time.
    func take() async throws -> Slot {
        try await slots.take(
            within: .seconds(2), else: "Many count answers at the moment; try again later.", retryAfter: 2)
    }
}
