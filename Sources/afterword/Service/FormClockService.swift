import Logging
import ServiceLifecycle
import Store

/// Publishes, opens, closes and finalises forms by the clock, until a graceful shutdown.
struct FormClockService: ServiceLifecycle.Service {
    let store: Store
    var pause: Duration = .seconds(1)
    let logger: Logger

    func run() async throws {
        var isFailing = false
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do {
                if await store.dueWork.isDue(.forms, age: pause) { try await store.clock.tick() }
                isFailing = false
            } catch {
                // Logs the failure once, not every second while the database is unavailable.
                if !isFailing {
                    logger.warning("Updating form states by the clock failed", metadata: ["error": "\(error)"])
                }
                isFailing = true
            }
            // A shutdown ends the pause early, which is not an error.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
        }
    }
}
