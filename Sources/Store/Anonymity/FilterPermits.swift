/// Limits how many requests count submissions under a condition at once, to a quarter of the connections.
final class FilterPermits: Sendable {
    private let semaphore: Semaphore

    init(poolSize: Int) { semaphore = Semaphore(poolSize / 4) }

    /// Throws 503 when no permit becomes free in time.
    func acquire() async throws -> Permit {
        try await semaphore.acquire(
            within: .seconds(2), else: "Many count answers at the moment; try again later.", retryAfter: 2)
    }
}
