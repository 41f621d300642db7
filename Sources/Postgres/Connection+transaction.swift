import CLibPQ

/// The isolation level of a transaction. `default` is the database's setting.
public enum Isolation: Sendable {
    case `default`
    case readCommitted
    case repeatableRead
    case serializable

    var begin: Statement {
        switch self {
        case .default: "BEGIN"
        case .readCommitted: "BEGIN ISOLATION LEVEL READ COMMITTED"
        case .repeatableRead: "BEGIN ISOLATION LEVEL REPEATABLE READ"
        case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        }
    }
}

extension Connection {
    /// Runs `body` between BEGIN and COMMIT, or ROLLBACK if it throws. Does not retry.
    public func transaction<T: Sendable>(
        isolation: Isolation = .default, _ body: @Sendable (Connection) async throws -> T
    ) async throws -> T {
        try await turn { () throws(PostgresError) in
            guard session.transactionStatus == PQTRANS_IDLE else {
                throw PostgresError(.busy, "a transaction is already open on this connection")
            }
            _ = try run(isolation.begin)
        }
        do {
            let value = try await body(self)
            try await commit()
            return value
        } catch {
            // `reset` is not a turn, so it rolls back even if the task is cancelled. If the rollback fails, the
            // connection is closed.
            _ = reset()
            throw error
        }
    }

    /// Runs `body` in a read-only transaction with a single snapshot, on the caller's actor. If it throws, the transaction
    /// stays open until the connection returns to its pool.
    public func snapshot<T: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Connection) async throws -> T
    ) async throws -> T {
        try await execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let value = try await body(self)
        try await execute("COMMIT")
        return value
    }

    private func commit() async throws(PostgresError) {
        let tag = try await turn { () throws(PostgresError) in try run("COMMIT").commandTag }
        // The server replies ROLLBACK if a statement has failed and `body` ignored the error.
        if tag == "ROLLBACK" {
            throw PostgresError(.server, "a failed statement had aborted the transaction", sqlState: "25P02")
        }
    }
}
