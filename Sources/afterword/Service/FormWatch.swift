import Logging
import ServiceLifecycle
import Store

/// Publishes, opens, closes and finalises forms by the clock, until a graceful shutdown.
struct FormWatch: ServiceLifecycle.Service {
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
                // Once, not every second for as long as the database is away.
                if !isFailing {
                    logger.warning("Updating form states by the clock failed", metadata: ["error": "\(error)"])
                }
                isFailing = true
            }
            // A shutdown ends the pause early, which is no failure.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
        }
    }
}
