import ServiceLifecycle
import Synchronization
import UnixSignals

/// SIGINT and SIGTERM as a request to stop. Signals are trapped from the beginning, so that none is lost during the
/// start.
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

    /// Sets the action for the request to stop. Runs it immediately if the request has already been made.
    func whenItComes(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.action = action
            return state.hasCome
        }
        if isLate { action() }
    }

    /// Runs `body` and cancels it on a request to stop. Then throws `Failure.interrupted`.
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

/// Ends on a request to stop, upon which its service group shuts down gracefully.
struct InterruptionWatch: Service {
    let interruption: Interruption

    func run() async throws {
        let (wishes, continuation) = AsyncStream<Never>.makeStream()
        interruption.whenItComes { continuation.finish() }
        for await _ in wishes.cancelOnGracefulShutdown() {}
    }
}
