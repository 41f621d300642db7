import Logging
import Synchronization

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
