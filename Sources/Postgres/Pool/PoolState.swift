/// The state of the pool. Its methods only decide what to do. They neither wait nor open connections.
struct PoolState: Sendable {
    struct Waiter: Sendable {
        typealias Continuation = CheckedContinuation<Result<Connection, PostgresError>, Never>

        var id: Int
        var client: PoolClient
        var continuation: Continuation
        var timer: Task<Void, any Error>

        func resume(_ outcome: sending Result<Connection, PostgresError>) {
            timer.cancel()
            continuation.resume(returning: outcome)
        }
    }

    /// What a caller that needs a connection must do.
    enum Claim {
        case connection(Connection)
        /// Wait in the queue, and open this number of connections.
        case wait(connecting: Int)
        case refused(PostgresError)
    }

    let size: Int
    var waiters = PoolQueue()
    /// Idle connections, used as a stack, so that a pool with little load uses few of them.
    private var idle: [Connection] = []
    /// The number of all connections: idle, in use, or being opened.
    private var connections = 0
    /// The number of connections that are being opened.
    private var connecting = 0
    private var lastWaiterID = 0
    private var isClosed = false
    private var backoff = Backoff(first: .milliseconds(25), longest: .seconds(1))
    /// The pause after a failed attempt to connect, and the error of that attempt.
    private var pause: (until: ContinuousClock.Instant, after: PostgresError)?

    init(size: Int) { self.size = size }

    var statistics: PoolStatistics {
        PoolStatistics(connections: connections, idle: idle.count, waiting: waiters.count)
    }

    mutating func nextWaiterID() -> Int {
        lastWaiterID += 1
        return lastWaiterID
    }

    mutating func claim(now: ContinuousClock.Instant) -> Claim {
        if isClosed { return .refused(PostgresError(.closed, "the pool is closed")) }
        if waiters.isEmpty, let connection = idle.popLast() { return .connection(connection) }
        if connections == 0, let pause, now < pause.until { return .refused(pause.after) }
        return .wait(connecting: begin(for: waiters.count + 1, now: now))
    }

    /// Hands a free connection to the waiter whose turn it is.
    mutating func give(_ connection: Connection) -> (waiter: Waiter?, mustClose: Bool) {
        if isClosed {
            connections -= 1
            return (nil, true)
        }
        if let waiter = waiters.removeFirst() { return (waiter, false) }
        idle.append(connection)
        return (nil, false)
    }

    /// Removes a lost connection and returns the number of connections to open. If it was the last connection and the
    /// pause after a failed attempt has not ended, returns all waiters and the error for them.
    mutating func discard(now: ContinuousClock.Instant) -> (connecting: Int, refused: [Waiter], error: PostgresError?) {
        connections -= 1
        if isClosed { return (0, [], nil) }
        if connections == 0, let pause, now < pause.until {
            return (0, waiters.removeAll(), pause.after)
        }
        return (begin(for: waiters.count, now: now), [], nil)
    }

    /// Records a successful connection attempt.
    mutating func connected() {
        connecting -= 1
        backoff.reset()
        pause = nil
    }

    /// Records a failed connection attempt. If no connection is left, returns all waiters, who get the error.
    mutating func failed(_ error: PostgresError, now: ContinuousClock.Instant) -> [Waiter] {
        connecting -= 1
        connections -= 1
        pause = (now + backoff.next(), error)
        guard connections == 0 else { return [] }
        return waiters.removeAll()
    }

    mutating func close() -> (waiters: [Waiter], idle: [Connection]) {
        isClosed = true
        defer {
            connections -= idle.count
            idle = []
        }
        return (waiters.removeAll(), idle)
    }

    /// Returns the number of connections to open for this number of waiting callers, and counts these connections.
    private mutating func begin(for waiting: Int, now: ContinuousClock.Instant) -> Int {
        if let pause, now < pause.until { return 0 }
        let count = max(0, min(waiting - connecting, size - connections))
        connecting += count
        connections += count
        return count
    }
}
