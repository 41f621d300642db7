import Logging
import ServiceLifecycle
import Store

/// Looks after each pause what time has done to forms, until a graceful shutdown.
struct FormWatch: ServiceLifecycle.Service {
    let store: Store
    var pause: Duration = .seconds(1)
    let logger: Logger

    func run() async throws {
        var isFailing = false
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do {
                try await store.clock.tick()
                isFailing = false
            } catch {
                // Once, not every second for as long as the database is away.
                if !isFailing { logger.warning("The clock of forms stands still", metadata: ["error": "\(error)"]) }
                isFailing = true
            }
            // A shutdown ends the pause early, which is no failure.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
        }
    }
}
