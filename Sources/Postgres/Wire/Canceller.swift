import CLibPQ
import Dispatch
import Synchronization

/// Cancels a connection's statement on the server, from a separate thread, because `PQcancel` blocks on the network.
///
/// Unchecked because of the pointer: a `PGcancel` is immutable, and libpq allows its use from any thread.
final class Canceller: @unchecked Sendable {
    private struct State {
        var turn = 0
        var isActive = false
        var isAsking = false
    }

    private let pointer: OpaquePointer
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)
    private let asked = DispatchSemaphore(value: 0)

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
        let mustAsk = state.withLock { state in
            guard state.isActive, state.turn == turn, !state.isAsking else { return false }
            state.isAsking = true
            return true
        }
        guard mustAsk else { return }
        let retained = Unmanaged.passRetained(self)
        let failed = shim_start_thread(
            { argument in
                if let argument { Unmanaged<Canceller>.fromOpaque(argument).takeRetainedValue().ask() }
                return nil
            }, retained.toOpaque())
        if failed != 0 {
            retained.release()
            state.withLock { $0.isAsking = false }
        }
    }

    /// Ends the turn and returns whether it was cancelled. Waits for a request in progress, so that it does not cancel
    /// the next turn.
    func end() -> Bool {
        let wasAsking = state.withLock { state in
            state.isActive = false
            return state.isAsking
        }
        guard wasAsking else { return false }
        ended.signal()
        asked.wait()
        state.withLock { $0.isAsking = false }
        return true
    }

    /// Repeats until the turn ends, because a request that overtakes its statement has no effect.
    private func ask() {
        repeat {
            var reason = [CChar](repeating: 0, count: 256)
            _ = PQcancel(pointer, &reason, Int32(reason.count))
        } while ended.wait(timeout: .now() + .milliseconds(200)) == .timedOut
        asked.signal()
    }
}
