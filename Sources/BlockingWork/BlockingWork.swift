import Dispatch
import Synchronization

/// Runs what blocks or computes for long on threads of its own, at most so many at once: neither the cooperative pool
/// nor the memory of the machine is at the mercy of those who ask for it.
public final class BlockingWork: Sendable {
    /// Too many wait already; the caller should try again later.
    public struct Overloaded: Error, Equatable {}

    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let width: Int
    private let bound: Int
    private let state = Mutex(State())
    private let queue: DispatchQueue

    public init(_ label: String, atOnce width: Int, waiting bound: Int) {
        self.width = width
        self.bound = bound
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    /// Runs the work in its turn.
    public func run<T: Sendable>(_ work: @escaping @Sendable () -> T) async throws(Overloaded) -> T {
        let result: Result<T, Overloaded> = await withCheckedContinuation { continuation in
            let accepted = enqueue { continuation.resume(returning: .success(work())) }
            if !accepted { continuation.resume(returning: .failure(Overloaded())) }
        }
        return try result.get()
    }

    /// How many wait for their turn.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Starts the job or lets it wait its turn; false if too many wait.
    func enqueue(_ job: @escaping @Sendable () -> Void) -> Bool {
        let verdict = state.withLock { state -> (accepted: Bool, starts: Bool) in
            if state.running < width {
                state.running += 1
                return (true, true)
            }
            guard state.waiting.count < bound else { return (false, false) }
            state.waiting.append(job)
            return (true, false)
        }
        if verdict.starts { start(job) }
        return verdict.accepted
    }

    private func start(_ job: @escaping @Sendable () -> Void) {
        queue.async {
            job()
            let next = self.state.withLock { state -> (@Sendable () -> Void)? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.running -= 1
                return nil
            }
            if let next { self.start(next) }
        }
    }
}
