import CLibPQ
import Dispatch
import Synchronization

/// Cancels a connection's statement on the server, from a separate thread, because `PQcancel` blocks on the network.
///
/// The sendability is unchecked because of the pointer. A `PGcancel` is immutable, and libpq allows its use from any
/// thread.
final class Canceller: @unchecked Sendable {
    private struct State {
        var turn = 0
        var isActive = false
        var isRequesting = false
    }

    private let pointer: OpaquePointer
    private let state = Mutex(State())
    /// Signaled when the turn to be cancelled ends.
    private let turnEnded = DispatchSemaphore(value: 0)
    /// Signaled when the thread has stopped sending requests.
    private let requestsEnded = DispatchSemaphore(value: 0)

    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { PQfreeCancel(pointer) }

    /// Begins a turn, which `request` can cancel until `end`.
    func begin() -> Int {
        state.withLock { state in
            state.turn += 1
            state.isActive = true
            return state.turn
        }
    }

    /// Requests the cancellation of the turn, if it has not ended. Returns immediately.
    func request(_ turn: Int) {
        let mustStart = state.withLock { state in
            guard state.isActive, state.turn == turn, !state.isRequesting else { return false }
            state.isRequesting = true
            return true
        }
        guard mustStart else { return }
        let retained = Unmanaged.passRetained(self)
        let failed = shim_start_thread(
            { argument in
                if let argument { Unmanaged<Canceller>.fromOpaque(argument).takeRetainedValue().sendRequests() }
                return nil
            }, retained.toOpaque())
        if failed != 0 {
            retained.release()
            state.withLock { $0.isRequesting = false }
        }
    }

    /// Ends the turn and returns whether its cancellation was requested. Waits for a request in progress, so that the
    /// request does not cancel the next turn.
    func end() -> Bool {
        let wasRequesting = state.withLock { state in
            state.isActive = false
            return state.isRequesting
        }
        guard wasRequesting else { return false }
        turnEnded.signal()
        requestsEnded.wait()
        state.withLock { $0.isRequesting = false }
        return true
    }

    /// Sends requests until the turn ends, because a request that arrives before its statement has no effect.
    private func sendRequests() {
        repeat {
            var reason = [CChar](repeating: 0, count: 256)
            _ = PQcancel(pointer, &reason, Int32(reason.count))
        } while turnEnded.wait(timeout: .now() + .milliseconds(200)) == .timedOut
        requestsEnded.signal()
    }
}
