import Logging
import Synchronization

/// A bounded number of connections, given out first come, first served.
///
/// Connections are made when they are needed and kept. A connection that comes back in a transaction or in a stream is
/// rolled back and drained; one that is lost is replaced. When the database cannot be reached and no connection is left,
/// callers get that error at once, and the next attempt waits a little (at most a second) longer each time.
public final class Pool: Sendable {
    let configuration: PostgresConfiguration
    let acquireTimeout: Duration
    let state: Mutex<PoolState>

    public init(_ configuration: PostgresConfiguration, size: Int, acquireTimeout: Duration = .seconds(5)) {
        self.configuration = configuration
        self.acquireTimeout = acquireTimeout
        state = Mutex(PoolState(size: max(1, size)))
    }

    /// Lends a connection to `body`, which runs where the caller does; it must not be used afterwards.
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

    @discardableResult
    public func query(_ statement: Statement) async throws -> Rows {
        try await withConnection { try await $0.query(statement) }
    }

    @discardableResult
    public func execute(_ statement: Statement) async throws -> Int {
        try await withConnection { try await $0.execute(statement) }
    }

    @discardableResult
    public func pipeline(_ statements: [Statement]) async throws -> [Rows] {
        try await withConnection { try await $0.pipeline(statements) }
    }

    /// Runs `body` in a transaction, and all of it again after a serialization failure or a deadlock: at most five
    /// times in all. `body` must let those errors out, and do nothing outside of the database that cannot be repeated.
    public func transaction<T: Sendable>(
        isolation: Isolation = .default, _ body: @Sendable (Connection) async throws -> T
    ) async throws -> T {
        try await withConnection { connection in
            var backoff = Backoff(first: .milliseconds(5), longest: .milliseconds(200))
            while true {
                do {
                    return try await connection.transaction(isolation: isolation, body)
                } catch let error as PostgresError where error.isRetryable && backoff.failures < 4 {
                    self.configuration.logger.debug("transaction retried", metadata: ["error": "\(error)"])
                    try await Task.sleep(for: backoff.next())
                }
            }
        }
    }

    /// Lends a connection all of whose statements see the same moment and write nothing; `body` runs once, where the
    /// caller does.
    public func snapshot<T: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Connection) async throws -> T
    ) async throws -> T {
        try await withConnection { connection in
            try await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let value = try await body(connection)
            // What `body` throws leaves the transaction open, and the pool rolls it back.
            try await connection.execute("COMMIT")
            return value
        }
    }

    /// Closes idle connections now and the others when they come back; whoever waits gets `.closed`.
    public func close() async {
        let (waiters, idle) = state.withLock { $0.close() }
        for waiter in waiters { waiter.resume(.failure(PostgresError(.closed, "the pool is closed"))) }
        for connection in idle { await connection.close() }
    }

    /// How many connections there are, how many of them are idle, and how many callers wait for one.
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
            // A connection that lay idle may have died; one with something to read gets a closer look.
            if connection.status.isClean, connection.status.isQuiet { return connection }
            if await connection.settle() { return connection }
            discard()
        }
    }

    private func next() async throws(PostgresError) -> Connection {
        let id = state.withLock { $0.nextWaiter() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in line(up: id, continuation) }
        } onCancel: {
            leave(id, .cancelled)
        }
        return try outcome.get()
    }

    private func line(up id: Int, _ continuation: PoolState.Waiter.Continuation) {
        let turn = state.withLock { state -> PoolState.Turn in
            // Asked under the lock: a cancellation from now on finds the waiter in the queue.
            if Task.isCancelled { return .refused(.cancelled) }
            let turn = state.claim(now: .now)
            if case .wait = turn {
                let timer = Task { [acquireTimeout] in
                    try await Task.sleep(for: acquireTimeout)
                    self.leave(id, PostgresError(.timeout, "no connection became free in time"))
                }
                state.waiters.append(PoolState.Waiter(id: id, continuation: continuation, timer: timer))
            }
            return turn
        }
        switch turn {
        case .have(let connection): continuation.resume(returning: .success(connection))
        case .refused(let error): continuation.resume(returning: .failure(error))
        case .wait(let connecting): connect(connecting)
        }
    }

    /// Takes a waiter out of the queue, if it is still there.
    private func leave(_ id: Int, _ error: PostgresError) {
        let waiter = state.withLock { $0.remove(id) }
        waiter?.resume(.failure(error))
    }

    func release(_ connection: Connection) async {
        let isClean = connection.status.isClean
        guard isClean ? true : await connection.settle() else {
            configuration.logger.info("connection to the database lost")
            return discard()
        }
        give(connection)
    }

    private func give(_ connection: Connection) {
        let (waiter, mustClose) = state.withLock { $0.give(connection) }
        waiter?.resume(.success(connection))
        if mustClose { Task { await connection.close() } }
    }

    /// Counts a connection out, and makes another if somebody waits for it and the database was not found gone.
    private func discard() {
        let outcome = state.withLock { $0.discard(now: .now) }
        if let error = outcome.error {
            for waiter in outcome.refused { waiter.resume(.failure(error)) }
        }
        connect(outcome.connecting)
    }

    private func connect(_ count: Int) {
        for _ in 0..<count {
            // Not a child of the caller: the connection is for whoever is first in the queue when it is there.
            Task.detached { [self] in
                do throws(PostgresError) {
                    let connection = try await Connection.connect(configuration)
                    state.withLock { $0.connected() }
                    give(connection)
                } catch {
                    configuration.logger.warning("no connection to the database", metadata: ["error": "\(error)"])
                    let refused = state.withLock { $0.failed(error, now: .now) }
                    for waiter in refused { waiter.resume(.failure(error)) }
                }
            }
        }
    }
}
