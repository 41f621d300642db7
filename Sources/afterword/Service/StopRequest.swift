import ServiceLifecycle
import Synchronization
import UnixSignals

/// SIGINT and SIGTERM as a request to stop. Signals are trapped from the beginning, so that none is lost during the
/// start.
final class StopRequest: Sendable {
    private struct State {
        var wasMade = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    private init() {}

    static func listen() async -> StopRequest {
        let stopRequest = StopRequest()
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        Task.detached {
            for await _ in signals { stopRequest.make() }
        }
        return stopRequest
    }

    /// Sets the action for the request to stop. Runs it immediately if the request has already been made.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.action = action
            return state.wasMade
        }
        if isLate { action() }
    }

    /// Runs `body` and cancels it on a request to stop. If `body` then throws, throws `Failure.interrupted` instead.
    func cancelling<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await body() }
        onRequest { task.cancel() }
        do {
            return try await task.value
        } catch {
            throw state.withLock({ $0.wasMade }) ? Failure.interrupted : error
        }
    }

    private func make() {
        let action = state.withLock { state in
            state.wasMade = true
            return state.action
        }
        action?()
    }
}

/// Ends on a request to stop, upon which its service group shuts down gracefully.
struct StopService: Service {
    let stopRequest: StopRequest

    func run() async throws {
        let (stopped, continuation) = AsyncStream<Never>.makeStream()
        stopRequest.onRequest { continuation.finish() }
        for await _ in stopped.cancelOnGracefulShutdown() {}
    }
}
