import CLibPQ
import Synchronization

/// One connection to PostgreSQL.
///
/// The actor runs on a `ThreadExecutor`, where libpq may block, so that no call blocks the cooperative thread pool.
/// Statements run one at a time. Cancelling the calling task cancels the statement on the server. The call throws
/// `.cancelled`, and the connection remains usable. While a stream of rows occupies the connection, other statements
/// throw `.busy`.
public actor Connection {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let ownsExecutor: Bool
    /// The state that the pool reads without a hop to the connection's thread.
    nonisolated let status = ConnectionStatus()
    let session = Session()
    private var canceller: Canceller?
    var prepared = PreparedStatements()
    /// The stream that occupies the connection.
    var activeStream: StreamToken?
    let configuration: PostgresConfiguration

    private init(_ configuration: PostgresConfiguration, _ thread: ThreadExecutor?) throws(PostgresError) {
        self.configuration = configuration
        ownsExecutor = thread == nil
        if let thread { executor = thread } else { executor = try ThreadExecutor() }
    }

    deinit {
        if ownsExecutor { executor.stop() }
    }

    /// Opens a connection.
    ///
    /// - Parameter thread: The thread on which the connection runs. If nil, the connection gets its own thread.
    public static func connect(
        _ configuration: PostgresConfiguration, on thread: ThreadExecutor? = nil
    ) async throws(PostgresError) -> Connection {
        let connection = try Connection(configuration, thread)
        try await connection.open()
        return connection
    }

    /// Opens a connection, runs `body` with it, and closes it.
    public static func with<Value>(
        _ configuration: PostgresConfiguration, _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        let connection = try await connect(configuration)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(connection)) } catch { outcome = .failure(error) }
        await connection.close()
        return try outcome.get()
    }

    private func open() throws(PostgresError) {
        guard configuration.keepsSession || configuration.onConnect.isEmpty else {
            throw PostgresError(.configuration, "a proxy that changes servers does not keep what is set for a session")
        }
        canceller = try session.open(configuration)
        do throws(PostgresError) {
            for statement in configuration.onConnect { _ = try run(statement) }
        } catch {
            session.close()
            throw error
        }
        updateStatus()
    }

    // MARK: Statements

    @discardableResult
    public func query(_ statement: Statement) async throws(PostgresError) -> Rows {
        try await turn { () throws(PostgresError) in Rows(result: try run(statement)) }
    }

    /// Runs the statement and returns the number of affected rows.
    @discardableResult
    public func execute(_ statement: Statement) async throws(PostgresError) -> Int {
        try await query(statement).affected
    }

    /// Runs several statements in one string, such as a migration. They have no parameters, and their rows are
    /// discarded.
    public func script(_ sql: String) async throws(PostgresError) {
        try await turn { () throws(PostgresError) in try runScript(sql) }
    }

    /// Whether, at the end of its last turn, the connection was open, in no transaction and without a stream. Reading
    /// this needs no hop to the connection's thread, which would cost as much as a short statement.
    public nonisolated var wasIdle: Bool { status.isClean }

    public func close() {
        session.close()
        updateStatus()
    }

    // MARK: Turns

    /// Runs `work` with exclusive use of the connection. If the calling task is cancelled, the current statement is
    /// cancelled on the server. All statements of callers go through this method.
    func turn<T>(
        of token: StreamToken? = nil, _ work: () throws(PostgresError) -> T
    ) async throws(PostgresError) -> T {
        try admit(token)
        guard let canceller else { throw .closed }
        if Task.isCancelled { throw .cancelled }
        let turn = canceller.begin()
        // The closure never suspends, so nothing else runs on the connection meanwhile. It calls a method of the actor,
        // because a closure that does not capture `self` would run on the cooperative pool.
        let outcome = await withTaskCancellationHandler {
            perform(work)
        } onCancel: {
            canceller.request(turn)
        }
        let wasCancelled = canceller.end()
        updateStatus()
        switch outcome {
        case .success(let value): return value
        case .failure(var error):
            if wasCancelled, error.sqlState == "57014" { error.kind = .cancelled }
            // The server refuses writes: it has become a replica, so the primary is another one.
            if error.sqlState == "25006" { close() }
            throw error
        }
    }

    func perform<T>(_ work: () throws(PostgresError) -> T) -> Result<T, PostgresError> {
        executor.checkIsolated()
        do throws(PostgresError) { return .success(try work()) } catch { return .failure(error) }
    }

    private func admit(_ token: StreamToken?) throws(PostgresError) {
        guard session.isOpen else { throw .closed }
        guard let activeStream, activeStream !== token else { return }
        guard activeStream.isAbandoned else {
            throw PostgresError(.busy, "the connection is occupied by a stream that is still being read")
        }
        try endStream()
    }

    /// Ends the stream that occupies the connection: cancels it unless it is in a transaction, and discards its
    /// remaining rows.
    func endStream() throws(PostgresError) {
        guard let activeStream, let canceller else { return }
        self.activeStream = nil
        let turn = canceller.begin()
        defer { _ = canceller.end() }
        // Within a transaction, cancelling would abort the transaction, so the remaining rows are read instead.
        if !activeStream.isInTransaction { canceller.request(turn) }
        try drain()
    }

    /// Resets the connection for its next user: ends its stream and rolls back its transaction. Returns false if that
    /// fails.
    func reset() -> Bool {
        defer { updateStatus() }
        // Checked before sending anything: data that arrived on an idle connection is usually a termination message.
        let wasQuiet = status.isQuiet
        guard session.isUsable, session.consume() else { return false }
        do throws(PostgresError) {
            if let activeStream {
                activeStream.isInTransaction = false
                try endStream()
            }
            if session.transactionStatus != PQTRANS_IDLE {
                _ = try run("ROLLBACK")
            } else if !wasQuiet {
                _ = try run("SELECT 1")
            }
        } catch {
            session.close()
        }
        return session.isUsable
    }

    /// Called when a stream's reader is deallocated. Ends the stream if it is still active.
    func endAbandonedStream() {
        guard let activeStream, activeStream.isAbandoned else { return }
        if (try? endStream()) == nil { session.close() }
        updateStatus()
    }

    func updateStatus() {
        let isClean = session.isUsable && activeStream == nil && session.transactionStatus == PQTRANS_IDLE
        status.update(isClean: isClean, socket: session.socket)
    }
}

/// A connection's state, readable from any thread.
final class ConnectionStatus: Sendable {
    private let clean = Atomic<Bool>(false)
    private let socket = Atomic<Int32>(-1)

    func update(isClean: Bool, socket: Int32) {
        clean.store(isClean, ordering: .releasing)
        self.socket.store(socket, ordering: .releasing)
    }

    /// Whether the connection is usable, in no transaction and without a stream.
    var isClean: Bool { clean.load(ordering: .acquiring) }

    /// Whether the socket of an idle connection has no unread data. Such data is usually a termination message. Never
    /// blocks.
    var isQuiet: Bool {
        let socket = socket.load(ordering: .acquiring)
        return socket >= 0 && shim_wait(socket, SHIM_READABLE, -1, 0) == 0
    }
}
