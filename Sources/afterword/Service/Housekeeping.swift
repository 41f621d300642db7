import Logging
import ServiceLifecycle
import Store

/// Deletes expired rows and enqueues weekly digests, at the start and then every hour.
struct Housekeeping: ServiceLifecycle.Service {
    let store: Store
    let logger: Logger

    func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do {
                try await store.sweep()
            } catch {
                logger.warning("Housekeeping failed", metadata: ["error": "\(error)"])
            }
            do {
                try await store.weeklyDigests.enqueueDue()
            } catch {
                logger.warning("Enqueueing weekly digests failed", metadata: ["error": "\(error)"])
            }
            // A shutdown ends the pause early, which is not an error.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(3600)) }
        }
    }
}
