import Postgres

/// Runs expensive reads on the replica, or on the primary if there is no replica or it can't be used.
struct ReadSource: Sendable {
    private let primary: Pool
    private let replica: (server: Replica, pool: Pool)?

    /// Creates a source with as many connections to the replica as `primary` has.
    init(primary: Pool, replica: Replica? = nil) {
        self.primary = primary
        self.replica = replica.map { ($0, Pool($0.configuration, size: primary.size)) }
    }

    func query(_ statement: Statement) async throws -> Rows {
        try await read { try await $0.query(statement) }
    }

    /// Calls `body` with a connection. If the replica fails, calls it again with a connection to the primary.
    func read<T: Sendable>(_ body: @Sendable (Connection) async throws -> T) async throws -> T {
        if let value = try await onReplica(mayRepeat: true, body) { return value }
        return try await primary.withConnection(body)
    }

    /// Calls `body` in a transaction with a single snapshot. If the replica fails, calls it again on the primary.
    func transaction<T: Sendable>(_ body: @Sendable (Connection) async throws -> T) async throws -> T {
        let value = try await onReplica(mayRepeat: true) { connection in
            try await connection.transaction(isolation: .repeatableRead, body)
        }
        if let value { return value }
        return try await primary.transaction(isolation: .repeatableRead, body)
    }

    /// Calls `body` once with a connection, on the caller's actor. If the replica fails after `body` has begun, throws,
    /// because what `body` has read may have been sent to a client.
    func stream<T: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Connection) async throws -> T
    ) async throws -> T {
        if let value = try await onReplica(mayRepeat: false, body) { return value }
        return try await primary.withConnection(body)
    }

    /// Calls `body` once, as `stream` does, in a read-only transaction with a single snapshot.
    func snapshot<T: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Connection) async throws -> T
    ) async throws -> T {
        try await stream { try await $0.snapshot(body) }
    }

    /// Returns nil if the replica can't be used, or if it has failed and `body` may be repeated.
    private func onReplica<T: Sendable>(
        mayRepeat: Bool, isolation: isolated (any Actor)? = #isolation, _ body: (Connection) async throws -> T
    ) async throws -> T? {
        guard let replica, let position = await replica.server.position() else { return nil }
        var hasBegun = false
        do {
            return try await replica.pool.withConnection { connection in
                try await replica.server.requireCurrent(connection, at: position)
                hasBegun = true
                return try await body(connection)
            }
        } catch let error where !Task.isCancelled && (!hasBegun || Self.isFailure(error)) {
            replica.server.report(error)
            if hasBegun, !mayRepeat { throw error }
            return nil
        }
    }

    /// Whether a read failed because of the replica: the connection was lost, or the read was cancelled because it
    /// needed rows that the primary has removed (`40001`, `40P01`).
    private static func isFailure(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return false }
        return error.isConnectionLost || error.isRetryable
    }

    /// Closes the connections to the replica. Those to the primary belong to their owner.
    func close() async {
        await replica?.pool.close()
    }
}
