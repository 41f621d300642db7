import Postgres
import Synchronization

/// Checks whether the database responds. The check has its own connection, so that a busy pool does not make the
/// service unready, and a hanging statement blocks only this connection's thread.
///
/// If the connection had to be opened again, as after a restart of the database, the pool is checked too, because its
/// connections have been lost as well. The database is queried only on request, and concurrent callers share the
/// result.
final class Readiness: Sendable {
    private struct State {
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
        var lastWaiterID = 0
        var isChecking = false
        /// Whether the pool has responded since the probe's connection was opened.
        var isPoolReady = false
    }

    /// The time after which a database that has not responded counts as unavailable.
    static let timeout: Duration = .milliseconds(500)

    private let state = Mutex(State())
    private let probe: ReadinessProbe
    private let pool: Pool

    init(_ configuration: PostgresConfiguration, pool: Pool) throws(PostgresError) {
        self.pool = pool
        probe = try ReadinessProbe(configuration)
    }

    /// Returns whether the database responds, after at most `timeout`.
    func isReady() async -> Bool {
        let id = state.withLock { state in
            state.lastWaiterID += 1
            return state.lastWaiterID
        }
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            let mustCheck = state.withLock { state in
                state.waiters[id] = continuation
                defer { state.isChecking = true }
                return !state.isChecking
            }
            if mustCheck { check() }
            timer = Task {
                try await Task.sleep(for: Self.timeout)
                state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: false)
            }
        }
    }

    private func check() {
        Task {
            await probe.check { [self] outcome in
                let isPoolReady = state.withLock { state in
                    if outcome != .sameConnection { state.isPoolReady = false }
                    return state.isPoolReady
                }
                guard outcome != .noResponse, !isPoolReady, !isPoolBusy else { return finish(outcome != .noResponse) }
                Task {
                    let responds = (try? await pool.query("SELECT 1")) != nil
                    state.withLock { $0.isPoolReady = responds }
                    finish(responds)
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
            state.isChecking = false
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: isReady) }
    }

    /// Closes the connection, unless a check is running. Does not wait for a query that hangs; its thread ends with the
    /// process.
    func close() async {
        let isChecking = state.withLock { $0.isChecking }
        if !isChecking { await probe.close() }
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

    enum Outcome {
        case noResponse, sameConnection, newConnection
    }

    /// Queries the database and passes the outcome to `report`, which is called on this actor's own thread, so that
    /// other load does not delay it.
    func check(report: @Sendable (Outcome) -> Void) async {
        // The existing connection may have been lost when the server restarted, so only the failure of a new one means
        // that there is no response.
        if connection != nil, await responds() { return report(.sameConnection) }
        await close()
        report(await responds() ? .newConnection : .noResponse)
    }

    private func responds() async -> Bool {
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
