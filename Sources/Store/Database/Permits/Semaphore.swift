import Domain
import Foundation
import Synchronization

/// The right to run one of a limited number of expensive reads. A permit is released when it is deallocated, even if
/// the export for which it was acquired is never read.
public final class Permit: Sendable {
    private let semaphore: Semaphore

    fileprivate init(_ semaphore: Semaphore) { self.semaphore = semaphore }

    deinit { semaphore.release() }
}

/// A limit on how many expensive reads run at once. Waiting tasks are served in the order of their arrival.
final class Semaphore: Sendable {
    private struct State {
        var freePermits: Int
        var nextID = 0
        /// Waiting tasks, the oldest first.
        var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state: Mutex<State>

    /// - Parameter permits: The number of permits, raised to 1 if it is smaller.
    init(_ permits: Int) { state = Mutex(State(freePermits: max(1, permits))) }

    /// Returns nil when all permits are taken.
    func tryAcquire() -> Permit? {
        let isFree = state.withLock { state in
            guard state.freePermits > 0 else { return false }
            state.freePermits -= 1
            return true
        }
        return isFree ? Permit(self) : nil
    }

    /// Waits for a permit. Throws 503 with `reason` if none becomes free before the timeout.
    func acquire(within timeout: Duration, else reason: String, retryAfter: Int) async throws -> Permit {
        if let permit = tryAcquire() { return permit }
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let isAcquired = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(id, within: timeout, $0) }
        } onCancel: {
            stopWaiting(id)
        }
        if isAcquired { return Permit(self) }
        try Task.checkCancellation()
        throw Problem(.overloaded, reason, retryAfter: retryAfter)
    }

    /// The number of tasks that wait for a permit.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func wait(_ id: Int, within timeout: Duration, _ continuation: CheckedContinuation<Bool, Never>) {
        // Nil if the task has to wait.
        let isAcquired: Bool? = state.withLock { state in
            if state.freePermits > 0 {
                state.freePermits -= 1
                return true
            }
            // The task may have been cancelled before it was added. Then nothing else would resume the continuation.
            if Task.isCancelled { return false }
            state.waiting.append((id, continuation))
            return nil
        }
        if let isAcquired { return continuation.resume(returning: isAcquired) }
        // The timer starts only now, so that the timeout cannot pass before the task has been added.
        Task {
            try? await Task.sleep(for: timeout)
            stopWaiting(id)
        }
    }

    private func stopWaiting(_ id: Int) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }

    fileprivate func release() {
        let next = state.withLock { state in
            if state.waiting.isEmpty {
                state.freePermits += 1
                return nil as CheckedContinuation<Bool, Never>?
            }
            // The permit passes to the oldest waiting task.
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
