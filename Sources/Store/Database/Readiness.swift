import Postgres
import Synchronization

/// Checks whether the database responds, over a connection of its own: a busy pool does not make the service unready,
/// and a hanging statement blocks only this connection's thread. After a new connection, as after a restart of the
/// database, the pool is checked too, because its own connections have to be reopened.
///
/// The database is queried only on request. Concurrent callers share the result.
final class Readiness: Sendable {
    private struct State {
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
        var lastWaiter = 0
        var isAsking = false
        /// Whether the pool has responded since the probe's connection was opened.
        var isPoolReady = false
    }

    /// The time after which a database that has not responded counts as unavailable.
    static let deadline: Duration = .milliseconds(500)

    private let state = Mutex(State())
    private let probe: ReadinessProbe
    private let pool: Pool

    init(_ configuration: PostgresConfiguration, pool: Pool) throws(PostgresError) {
        self.pool = pool
        probe = try ReadinessProbe(configuration)
    }

    /// Returns by the deadline.
    func isReady() async -> Bool {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            let mustAsk = state.withLock { state in
                state.waiters[id] = continuation
                defer { state.isAsking = true }
                return !state.isAsking
            }
            if mustAsk { ask() }
            timer = Task {
                try await Task.sleep(for: Self.deadline)
                state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: false)
            }
        }
    }

    private func ask() {
        Task {
            await probe.ask { [self] answer in
                let isPoolReady = state.withLock { state in
                    if answer != .sameConnection { state.isPoolReady = false }
                    return state.isPoolReady
                }
                guard answer != .none, !isPoolReady, !isPoolBusy else { return finish(answer != .none) }
                Task {
                    let answers = (try? await pool.query("SELECT 1")) != nil
                    state.withLock { $0.isPoolReady = answers }
                    finish(answers)
                }
            }
        }
    }

    /// Whether all connections of the pool are in use, so that a query would have to wait for one.
    private var isPoolBusy: Bool {
        let statistics = pool.statistics
        return statistics.connections > 0 && statistics.idle == 0
    }

    private func finish(_ isReady: Bool) {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            state.isAsking = false
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: isReady) }
    }

    /// Does not wait for a query that hangs: its thread ends with the process.
    func close() async {
        let isAsking = state.withLock { $0.isAsking }
        if !isAsking { await probe.close() }
    }
}

/// The connection of `Readiness`, and its thread, which a hanging query may block.
private actor ReadinessProbe {
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private nonisolated let thread: ThreadExecutor
    private let configuration: PostgresConfiguration
    private var connection: Connection?

    init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        self.configuration = configuration
        thread = try ThreadExecutor()
    }

    deinit { thread.stop() }

    enum Answer {
        case none, sameConnection, newConnection
    }

    /// Calls `then` on this actor's own thread, which no load delays.
    func ask(then: @Sendable (Answer) -> Void) async {
        // A cached connection may have died with its server: a new connection decides.
        if connection != nil, await answers() { return then(.sameConnection) }
        await close()
        then(await answers() ? .newConnection : .none)
    }

    private func answers() async -> Bool {
        do {
            if connection == nil { connection = try await Connection.connect(configuration, on: thread) }
            try await connection?.query("SELECT 1")
            return true
        } catch {
            return false
        }
    }

    func close() async {
        await connection?.close()
        connection = nil
    }
}
