import Logging
import Synchronization

/// A connection pool of limited size. If callers have to wait, their clients take turns, and the callers of each client
/// are served in order of arrival.
///
/// Connections are opened on demand and stay open. If a connection is returned within a transaction or a stream, the
/// transaction is rolled back and the stream is ended. A lost connection is replaced. If the database is unreachable
/// and no connection is left, callers get the error immediately, and the pause before the next attempt grows up to one
/// second.
public final class Pool: Sendable {
    let configuration: PostgresConfiguration
    let acquireTimeout: Duration
    let transactionsTakeTurns: Bool
    let state: Mutex<PoolState>

    /// - Parameter transactionsTakeTurns: Whether a transaction waits for those of all such pools of the database. For
    ///   Citus, which locks whole reference tables for a change, so that any two transactions may deadlock.
    public init(
        _ configuration: PostgresConfiguration, size: Int, acquireTimeout: Duration = .seconds(5),
        transactionsTakeTurns: Bool = false
    ) {
        self.configuration = configuration
        self.acquireTimeout = acquireTimeout
        self.transactionsTakeTurns = transactionsTakeTurns
        state = Mutex(PoolState(size: max(1, size)))
    }

    /// The largest number of connections.
    public var size: Int { state.withLock(\.size) }

    /// Calls `body` with a connection, on the caller's actor. The connection must not be used after `body` returns.
    public func withConnection<T: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Connection) async throws -> T
    ) async throws -> T {
        let connection = try await acquire()
        do {
            let value = try await body(connection)
            await release(connection)
            return value
        } catch {
            await release(connection)
            throw error
        }
    }

    /// Executes a statement by itself, and repeats it after a deadlock.
    @discardableResult
    public func query(_ statement: Statement) async throws -> Rows {
        try await withConnection { connection in
            do {
                return try await connection.query(statement)
            } catch let error as PostgresError where error.isDeadlock {
                return try await retry(on: connection, after: error) { try await $0.query(statement) }
            }
        }
    }

    /// Executes a statement by itself, and repeats it after a deadlock.
    @discardableResult
    public func execute(_ statement: Statement) async throws -> Int {
        try await withConnection { connection in
            do {
                return try await connection.execute(statement)
            } catch let error as PostgresError where error.isDeadlock {
                return try await retry(on: connection, after: error) { try await $0.execute(statement) }
            }
        }
    }

    @discardableResult
    public func pipeline(_ statements: [Statement]) async throws -> [Rows] {
        try await withConnection { try await $0.pipeline(statements) }
    }

    /// Runs `body` in a transaction and retries it after a serialization failure or a deadlock, with at most five
    /// attempts. `body` must rethrow those errors, and must not have side effects outside the database that can't be
    /// repeated.
    ///
    /// - Parameter inTurn: Whether the transaction waits for others if the transactions of this pool take turns. Other
    ///   isolation levels than the default never wait, because their snapshot would be older than the wait.
    public func transaction<T: Sendable>(
        isolation: Isolation = .default, inTurn: Bool = true, _ body: @Sendable (Connection) async throws -> T
    ) async throws -> T {
        try await withConnection { connection in
            do {
                let takesTurn = inTurn && transactionsTakeTurns && isolation == .default
                return try await attempt(isolation, takesTurn: takesTurn, on: connection, body)
            } catch let error as PostgresError where error.isRetryable {
                return try await retry(isolation, on: connection, after: error, body)
            }
        }
    }

    /// Retries a transaction that has failed once.
    ///
    /// Transactions that are retried after a deadlock take turns. Otherwise twenty transactions that lock the same rows
    /// would meet in the next deadlock, each of which costs a second.
    private func retry<T: Sendable>(
        _ isolation: Isolation = .default, on connection: Connection, after failure: PostgresError,
        _ body: @Sendable (Connection) async throws -> T
    ) async throws -> T {
        var backoff = Backoff(first: .milliseconds(5), longest: .milliseconds(200))
        var failure = failure
        while true {
            configuration.logger.debug("Retrying a transaction", metadata: ["error": "\(failure)"])
            try await Task.sleep(for: backoff.next())
            do {
                let takesTurn = failure.isDeadlock && isolation == .default
                return try await attempt(isolation, takesTurn: takesTurn, on: connection, body)
            } catch let error as PostgresError where error.isRetryable && backoff.failures < 4 {
                failure = error
            }
        }
    }

    private func attempt<T: Sendable>(
        _ isolation: Isolation, takesTurn: Bool, on connection: Connection,
        _ body: @Sendable (Connection) async throws -> T
    ) async throws -> T {
        try await connection.transaction(isolation: isolation) { connection in
            if takesTurn {
                try await connection.query(
                    "SELECT pg_advisory_xact_lock(hashtextextended('turn of transactions', 0))")
            }
            return try await body(connection)
        }
    }

    /// Calls `body` with a connection in a read-only transaction with a single snapshot. `body` runs once, on the
    /// caller's actor.
    public func snapshot<T: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Connection) async throws -> T
    ) async throws -> T {
        try await withConnection { try await $0.snapshot(body) }
    }

    /// Closes idle connections now and the others when they are returned. Waiting callers get `.closed`.
    public func close() async {
        let (waiters, idle) = state.withLock { $0.close() }
        for waiter in waiters { waiter.resume(.failure(PostgresError(.closed, "the pool is closed"))) }
        for connection in idle { await connection.close() }
    }

    /// The number of connections, of idle connections, and of waiting callers.
    public var statistics: PoolStatistics { state.withLock { $0.statistics } }
}

public struct PoolStatistics: Sendable, Equatable {
    public var connections: Int
    public var idle: Int
    public var waiting: Int

    public init(connections: Int, idle: Int, waiting: Int) {
        self.connections = connections
        self.idle = idle
        self.waiting = waiting
    }
}

extension Pool {
    func acquire() async throws(PostgresError) -> Connection {
        while true {
            let connection = try await next()
            // A connection that has unread data or is not clean may have been lost, so it is reset and checked first.
            if connection.status.isClean, connection.status.isQuiet { return connection }
            if await connection.reset() { return connection }
            discard()
        }
    }

    private func next() async throws(PostgresError) -> Connection {
        let (id, client) = (state.withLock { $0.nextWaiterID() }, PoolClient.current)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in enqueue(id, client, continuation) }
        } onCancel: {
            removeWaiter(id, client, .cancelled)
        }
        return try outcome.get()
    }

    private func enqueue(_ id: Int, _ client: PoolClient, _ continuation: PoolState.Waiter.Continuation) {
        let claim = state.withLock { state -> PoolState.Claim in
            // Checked under the lock: any later cancellation finds the waiter in the queue.
            if Task.isCancelled { return .refused(.cancelled) }
            let claim = state.claim(now: .now)
            if case .wait = claim {
                let timer = Task { [acquireTimeout] in
                    try await Task.sleep(for: acquireTimeout)
                    self.removeWaiter(id, client, PostgresError(.timeout, "no connection became free in time"))
                }
                state.waiters.append(PoolState.Waiter(id: id, client: client, continuation: continuation, timer: timer))
            }
            return claim
        }
        switch claim {
        case .connection(let connection): continuation.resume(returning: .success(connection))
        case .refused(let error): continuation.resume(returning: .failure(error))
        case .wait(let connecting): connect(connecting)
        }
    }

    /// Removes a waiter from the queue, if it is still there.
    private func removeWaiter(_ id: Int, _ client: PoolClient, _ error: PostgresError) {
        let waiter = state.withLock { $0.waiters.remove(id, of: client) }
        waiter?.resume(.failure(error))
    }

    func release(_ connection: Connection) async {
        let isClean = connection.status.isClean
        guard isClean ? true : await connection.reset() else {
            configuration.logger.info("Connection to the database lost")
            return discard()
        }
        give(connection)
    }

    private func give(_ connection: Connection) {
        let (waiter, mustClose) = state.withLock { $0.give(connection) }
        waiter?.resume(.success(connection))
        if mustClose { Task { await connection.close() } }
    }

    /// Removes a lost connection from the count, and opens another if callers are waiting and the backoff permits it.
    private func discard() {
        let outcome = state.withLock { $0.discard(now: .now) }
        if let error = outcome.error {
            for waiter in outcome.refused { waiter.resume(.failure(error)) }
        }
        connect(outcome.connecting)
    }

    private func connect(_ count: Int) {
        for _ in 0..<count {
            // Not a child task of the caller, because the connection goes to the caller whose turn it is.
            Task.detached { [self] in
                do throws(PostgresError) {
                    let connection = try await Connection.connect(configuration)
                    state.withLock { $0.connected() }
                    give(connection)
                } catch {
                    configuration.logger.warning("Connecting to the database failed", metadata: ["error": "\(error)"])
                    let refused = state.withLock { $0.failed(error, now: .now) }
                    for waiter in refused { waiter.resume(.failure(error)) }
                }
            }
        }
    }
}
