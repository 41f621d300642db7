import Synchronization

/// Shares reads between concurrent callers, none of whom gets an outdated value: each gets the outcome of a read that
/// began after its call.
///
/// While a value is being read, further callers for its key wait for the next read, which serves all of them. So there
/// is at most one read of a value at a time, however many clients request it. A cancelled caller waits too, for at most
/// two reads.
public final class GroupedReads<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Caller = CheckedContinuation<Value, any Error>

    /// For each key that is being read, the callers that wait for the next read.
    private let waiting = Mutex<[Key: [Caller]]>([:])

    public init() {}

    /// - Parameter read: Reads the value. It must depend on nothing but the key, because it also serves other callers.
    public func value(for key: Key, read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { caller in
            let isFirst = waiting.withLock { waiting in
                guard waiting[key] == nil else {
                    waiting[key]?.append(caller)
                    return false
                }
                waiting[key] = []
                return true
            }
            if isFirst { begin(key, for: [caller], read) }
        }
    }

    /// The number of callers that wait for the next read of a key.
    func waitingCallers(_ key: Key) -> Int { waiting.withLock { $0[key]?.count ?? 0 } }

    private func begin(_ key: Key, for callers: [Caller], _ read: @escaping @Sendable () async throws -> Value) {
        // This is not a child task of a caller, because a caller's cancellation must not end the read for the others.
        Task {
            let outcome: Result<Value, any Error>
            do { outcome = .success(try await read()) } catch { outcome = .failure(error) }
            let next = waiting.withLock { waiting in
                let next = waiting[key] ?? []
                waiting[key] = next.isEmpty ? nil : []
                return next
            }
            if !next.isEmpty { begin(key, for: next, read) }
            for caller in callers { caller.resume(with: outcome) }
        }
    }
}
