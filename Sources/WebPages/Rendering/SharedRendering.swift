import Synchronization

/// Lets simultaneous requests for the same page share one rendering, without keeping the page for later ones.
///
/// The first caller of a key makes the value in its own task, and those that come meanwhile wait for it. A key contains
/// the state of which the value is made, so a caller that has read this state may get a value whose making began before.
/// `GroupedReads` of the store can't be used here: it reads in tasks of its own, and a page request is not sendable.
final class SharedRendering<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private enum Turn: Sendable {
        /// Nobody makes the value: the caller does.
        case make
        case made(Result<Value, any Error>)
        /// The request of the caller that made the value was cancelled.
        case again
    }

    /// The callers that wait for the value of each key that is being made.
    private let waiting = Mutex<[Key: [CheckedContinuation<Turn, Never>]]>([:])

    /// The value that another caller makes at the moment, or the result of `make`. An error is shared too.
    func value(for key: Key, make: () async throws -> Value) async throws -> Value {
        while true {
            switch await turn(key) {
            case .make:
                do {
                    let value = try await make()
                    finish(key, .made(.success(value)))
                    return value
                } catch {
                    finish(key, Task.isCancelled ? .again : .made(.failure(error)))
                    throw error
                }
            case .made(let result): return try result.get()
            case .again: try Task.checkCancellation()
            }
        }
    }

    /// The number of callers that wait for the value. Nil if nobody makes it.
    func waitingCount(for key: Key) -> Int? { waiting.withLock { $0[key]?.count } }

    private func turn(_ key: Key) async -> Turn {
        await withCheckedContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                guard waiting[key] != nil else {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFirst { continuation.resume(returning: .make) }
        }
    }

    private func finish(_ key: Key, _ turn: Turn) {
        let callers = waiting.withLock { $0.removeValue(forKey: key) } ?? []
        for caller in callers { caller.resume(returning: turn) }
    }
}
