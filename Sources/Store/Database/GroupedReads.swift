import Synchronization

/// Shares reads between concurrent callers, none of whom gets an outdated value: each gets the outcome of a read that
/// began after its call.
///
/// While a value is being read, further callers for its key wait for the next read, which serves all of them. A
/// cancelled caller waits too, for at most two reads.
///
/// A read waits for the turn of the client that began it, behind all other requests of that client. Callers of other
/// clients therefore share reads of their own. So there are at most two reads of a value at a time, however many clients
/// request it.
public final class GroupedReads<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Caller {
        var client: DatabaseClient
        var continuation: CheckedContinuation<Value, any Error>
    }

    private enum Group: Hashable, Sendable {
        /// The callers of the client that began the first read.
        case first
        /// The callers of all other clients.
        case others
    }

    private struct Read: Hashable, Sendable {
        var key: Key
        var group: Group
    }

    private struct State {
        /// The client of the read that is running.
        var client: DatabaseClient
        /// The callers that wait for the next read.
        var waiting: [Caller] = []
    }

    /// The values that are being read, each for one or both groups of callers.
    private let states = Mutex<[Read: State]>([:])

    public init() {}

    /// - Parameter read: Reads the value. It must depend on nothing but the key, because it also serves other callers.
    public func value(for key: Key, read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let client = DatabaseClient.current
        return try await withCheckedThrowingContinuation { continuation in
            let caller = Caller(client: client, continuation: continuation)
            let begun: Read? = states.withLock { states in
                var next = Read(key: key, group: .first)
                if let first = states[next], first.client != client { next.group = .others }
                guard states[next] == nil else {
                    states[next]?.waiting.append(caller)
                    return nil
                }
                states[next] = State(client: client)
                return next
            }
            if let begun { begin(begun, for: [caller], as: client, read) }
        }
    }

    /// The number of callers that wait for the next read of a key.
    func waitingCallers(_ key: Key) -> Int {
        states.withLock { states in
            [Group.first, .others].map { states[Read(key: key, group: $0)]?.waiting.count ?? 0 }.reduce(0, +)
        }
    }

    private func begin(
        _ current: Read, for callers: [Caller], as client: DatabaseClient,
        _ read: @escaping @Sendable () async throws -> Value
    ) {
        // This is not a child task of a caller, because a caller's cancellation must not end the read for the others.
        Task {
            let outcome: Result<Value, any Error>
            do { outcome = .success(try await client.run { try await read() }) } catch { outcome = .failure(error) }
            let next = states.withLock { states -> State? in
                guard let waiting = states[current]?.waiting, let oldest = waiting.first else {
                    states[current] = nil
                    return nil
                }
                // Another client than before, if one waits, so that no client delays each read of the others.
                let next = (waiting.first { $0.client != client } ?? oldest).client
                states[current] = State(client: next)
                return State(client: next, waiting: waiting)
            }
            if let next { begin(current, for: next.waiting, as: next.client, read) }
            for caller in callers { caller.continuation.resume(with: outcome) }
        }
    }
}
