/// Limits the requests that count submissions under a condition at the same time to a quarter of the connections.
final class FilterPermits: Sendable {
    private let semaphore: Semaphore

    init(poolSize: Int) { semaphore = Semaphore(poolSize / 4) }

    /// Throws 503 if no permit becomes free in time.
    func acquire() async throws -> Permit {
        try await semaphore.acquire(
            within: .seconds(2), else: "Many count answers at the moment; try again later.", retryAfter: 2)
    }
}
