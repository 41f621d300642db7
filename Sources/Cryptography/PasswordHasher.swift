import Dispatch
import Synchronization

/// Hashes passwords on threads of its own, at most so many at once: neither the cooperative pool nor the memory of the
/// machine is at the mercy of those who try to sign in.
public final class PasswordHasher: Sendable {
    /// Too many passwords wait already; the caller should try again later.
    public struct Overloaded: Error, Equatable {}

    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let width: Int
    private let bound: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "afterword.passwords", attributes: .concurrent)

    public init(atOnce width: Int = 2, waiting bound: Int = 200) {
        self.width = width
        self.bound = bound
    }

    public func hash(_ password: String) async throws -> String {
        guard password.utf8.count <= PasswordHash.maximumBytes else { throw PasswordHash.Failure.passwordTooLong }
        return try await run { Result { () throws(PasswordHash.Failure) in try PasswordHash.make(password) } }.get()
    }

    /// Throws only `Overloaded`; a password too long is simply wrong.
    public func verify(_ password: String, _ hash: String) async throws(Overloaded) -> Bool {
        guard password.utf8.count <= PasswordHash.maximumBytes else { return false }
        return try await run { PasswordHash.verify(password, hash) }
    }

    /// Runs blocking work in its turn.
    func run<T: Sendable>(_ work: @escaping @Sendable () -> T) async throws(Overloaded) -> T {
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
