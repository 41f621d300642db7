/// The pool's bookkeeping: pure decisions, no waiting.
struct PoolState: Sendable {
    struct Waiter: Sendable {
        typealias Continuation = CheckedContinuation<Result<Connection, PostgresError>, Never>

        var id: Int
        var continuation: Continuation
        var timer: Task<Void, any Error>

        func resume(_ outcome: sending Result<Connection, PostgresError>) {
            timer.cancel()
            continuation.resume(returning: outcome)
        }
    }

    enum Turn {
        case have(Connection)
        /// Line up, and begin as many connections.
        case wait(connecting: Int)
        case refused(PostgresError)
    }

    let size: Int
    var waiters: [Waiter] = []
    /// The last one back is the first one out, so that a quiet pool uses few.
    private var idle: [Connection] = []
    /// Idle, lent and being made.
    private var connections = 0
    private var connecting = 0
    private var lastWaiter = 0
    private var isClosed = false
    private var backoff = Backoff(first: .milliseconds(25), longest: .seconds(1))
    private var pause: (until: ContinuousClock.Instant, after: PostgresError)?

    init(size: Int) { self.size = size }

    var statistics: PoolStatistics {
        PoolStatistics(connections: connections, idle: idle.count, waiting: waiters.count)
    }

    mutating func nextWaiter() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    mutating func claim(now: ContinuousClock.Instant) -> Turn {
        if isClosed { return .refused(PostgresError(.closed, "the pool is closed")) }
        if waiters.isEmpty, let connection = idle.popLast() { return .have(connection) }
        if connections == 0, let pause, now < pause.until { return .refused(pause.after) }
        return .wait(connecting: begin(for: waiters.count + 1, now: now))
    }

    mutating func remove(_ id: Int) -> Waiter? {
        waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0) }
    }

    /// A connection is free: the first in the queue gets it.
    mutating func give(_ connection: Connection) -> (waiter: Waiter?, mustClose: Bool) {
        if isClosed {
            connections -= 1
            return (nil, true)
        }
        if !waiters.isEmpty { return (waiters.removeFirst(), false) }
        idle.append(connection)
        return (nil, false)
    }

    /// A connection is gone; gives how many to begin in its place. When it was the last one, and a pause forbids
    /// another attempt, nothing is left to wait for: everybody is told why.
    mutating func discard(now: ContinuousClock.Instant) -> (connecting: Int, refused: [Waiter], error: PostgresError?) {
        connections -= 1
        if isClosed { return (0, [], nil) }
        if connections == 0, let pause, now < pause.until {
            defer { waiters = [] }
            return (0, waiters, pause.after)
        }
        return (begin(for: waiters.count, now: now), [], nil)
    }

    mutating func connected() {
        connecting -= 1
        backoff.reset()
        pause = nil
    }

    /// No connection could be made; gives whom to tell, which is everybody once nothing is left to wait for.
    mutating func failed(_ error: PostgresError, now: ContinuousClock.Instant) -> [Waiter] {
        connecting -= 1
        connections -= 1
        pause = (now + backoff.next(), error)
        guard connections == 0 else { return [] }
        defer { waiters = [] }
        return waiters
    }

    mutating func close() -> (waiters: [Waiter], idle: [Connection]) {
        isClosed = true
        defer {
            connections -= idle.count
            waiters = []
            idle = []
        }
        return (waiters, idle)
    }

    private mutating func begin(for waiting: Int, now: ContinuousClock.Instant) -> Int {
        if let pause, now < pause.until { return 0 }
        let count = max(0, min(waiting - connecting, size - connections))
        connecting += count
        connections += count
        return count
    }
}
