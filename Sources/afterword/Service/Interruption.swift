import ServiceLifecycle
import Synchronization
import UnixSignals

/// SIGINT and SIGTERM as a wish to stop: kept from the first moment, so that none is lost between start and service.
final class Interruption: Sendable {
    private struct State {
        var hasCome = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    private init() {}

    static func listen() async -> Interruption {
        let interruption = Interruption()
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        Task.detached {
            for await _ in signals { interruption.come() }
        }
        return interruption
    }

    /// Replaces what is done when the wish comes; does it at once if it has come already.
    func whenItComes(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.action = action
            return state.hasCome
        }
        if isLate { action() }
    }

    /// Runs `body`, cancelled when the wish comes; it then throws `Failure.interrupted`.
    func cancelling<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await body() }
        whenItComes { task.cancel() }
        do {
            return try await task.value
        } catch {
            throw state.withLock({ $0.hasCome }) ? Failure.interrupted : error
        }
    }

    private func come() {
        let action = state.withLock { state in
            state.hasCome = true
            return state.action
        }
        action?()
    }
}

/// Ends when the wish to stop comes; in a group that is told to follow, everything then drains.
struct InterruptionWatch: Service {
    let interruption: Interruption

    func run() async throws {
        let (wishes, continuation) = AsyncStream<Never>.makeStream()
        interruption.whenItComes { continuation.finish() }
        for await _ in wishes.cancelOnGracefulShutdown() {}
    }
}
