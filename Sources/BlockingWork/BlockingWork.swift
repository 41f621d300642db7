import Dispatch
import Synchronization

/// Runs blocking or long computations on separate threads, with a limit on how many run at once, so that requests can't
/// exhaust the cooperative thread pool or the memory.
///
/// Jobs can have a key, such as the account for which they run. The keys take turns.
public final class BlockingWork: Sendable {
    /// Too many jobs are waiting. The caller should try again later.
    public struct Overloaded: Error, Equatable {}

    private struct State {
        var running = 0
        var waiting = FairQueue<@Sendable () -> Void>()
    }

    private let maximumRunning: Int
    private let maximumWaiting: Int
    private let maximumWaitingPerKey: Int
    private let state = Mutex(State())
    private let label: String

    /// - Parameters:
    ///   - maximumWaiting: The largest number of waiting jobs, across all keys.
    ///   - maximumWaitingPerKey: The largest number of waiting jobs of one key. If nil, only `maximumWaiting` applies.
    public init(_ label: String, maximumRunning: Int, maximumWaiting: Int, maximumWaitingPerKey: Int? = nil) {
        self.maximumRunning = maximumRunning
        self.maximumWaiting = maximumWaiting
        self.maximumWaitingPerKey = maximumWaitingPerKey ?? maximumWaiting
        self.label = label
    }

    /// Runs the work as soon as a thread is free and it is the key's turn. Throws `Overloaded` if too many jobs are
    /// waiting.
    public func run<T: Sendable>(
        for key: String = "", _ work: @escaping @Sendable () -> T
    ) async throws(Overloaded) -> T {
        let result: Result<T, Overloaded> = await withCheckedContinuation { continuation in
            let accepted = enqueue(for: key) { continuation.resume(returning: .success(work())) }
            if !accepted { continuation.resume(returning: .failure(Overloaded())) }
        }
        return try result.get()
    }

    /// The number of waiting jobs.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Starts or queues the job. Returns false if too many are waiting.
    func enqueue(for key: String = "", _ job: @escaping @Sendable () -> Void) -> Bool {
        let decision = state.withLock { state -> (accepted: Bool, starts: Bool) in
            if state.running < maximumRunning {
                state.running += 1
                return (true, true)
            }
            guard state.waiting.count < maximumWaiting, state.waiting.count(of: key) < maximumWaitingPerKey else {
                return (false, false)
            }
            state.waiting.append(job, for: key)
            return (true, false)
        }
        if decision.starts { start(job) }
        return decision.accepted
    }

    private func start(_ job: @escaping @Sendable () -> Void) {
        // A serial queue has a thread of its own. Concurrent queues share the threads of the cooperative pool on Linux.
        DispatchQueue(label: label).async {
            job()
            let next = self.state.withLock { state -> (@Sendable () -> Void)? in
                if let next = state.waiting.popFirst() { return next }
                state.running -= 1
                return nil
            }
            if let next { self.start(next) }
        }
    }
}
