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
        case made(Value)
        /// The caller that made the value has failed, or its request was cancelled.
        case again
    }

    /// The callers that wait for the value of each key that is being made.
    private let waiting = Mutex<[Key: [CheckedContinuation<Turn, Never>]]>([:])

    /// The value that another caller makes at the moment, or the result of `make`.
    ///
    /// An error is not shared, because it may concern its caller alone, such as an address with too many requests. After
    /// it, one of the waiting callers makes the value. A caller waits for two others at most, and then makes the value
    /// itself, so that it does not wait for a long row of failures.
    func value(for key: Key, make: () async throws -> Value) async throws -> Value {
        for _ in 0..<2 {
            switch await turn(key) {
            case .make:
                do {
                    let value = try await make()
                    finish(key, .made(value))
                    return value
                } catch {
                    finish(key, .again)
                    throw error
                }
            case .made(let value): return value
            case .again: try Task.checkCancellation()
            }
        }
        return try await make()
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
