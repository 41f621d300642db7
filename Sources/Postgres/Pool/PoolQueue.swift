/// The callers that wait for a connection. Their clients take turns, and each client's callers are served in the order
/// of their arrival.
///
/// Every second turn belongs to the service while it waits, because all clients may depend on what it reads.
struct PoolQueue: Sendable {
    typealias Waiter = PoolState.Waiter

    /// The waiting callers of each client that has any, the oldest first.
    private var waiters: [PoolClient: [Waiter]] = [:]
    /// The clients with waiting callers, except the service, in the order of their next turns.
    private var turns: [PoolClient] = []
    private var isTurnOfService = true
    /// The number of all waiting callers.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ waiter: Waiter) {
        count += 1
        waiters[waiter.client, default: []].append(waiter)
        if waiters[waiter.client]?.count == 1, waiter.client != .service { turns.append(waiter.client) }
    }

    /// Removes the oldest caller of the client whose turn it is.
    mutating func removeFirst() -> Waiter? {
        let isOfService = waiters[.service] != nil && (isTurnOfService || turns.isEmpty)
        guard let client = isOfService ? .service : turns.first, let waiter = waiters[client]?.removeFirst() else {
            return nil
        }
        count -= 1
        isTurnOfService = !isOfService
        if !isOfService { turns.removeFirst() }
        if waiters[client]?.isEmpty == true { waiters[client] = nil } else if !isOfService { turns.append(client) }
        return waiter
    }

    /// Removes a caller that no longer waits. Returns nil if it is not in the queue.
    mutating func remove(_ id: Int, of client: PoolClient) -> Waiter? {
        guard let index = waiters[client]?.firstIndex(where: { $0.id == id }),
            let waiter = waiters[client]?.remove(at: index)
        else { return nil }
        count -= 1
        if waiters[client]?.isEmpty == true {
            waiters[client] = nil
            turns.removeAll { $0 == client }
        }
        return waiter
    }

    /// Removes all callers.
    mutating func removeAll() -> [Waiter] {
        defer { self = PoolQueue() }
        return waiters.values.flatMap(\.self)
    }
}
