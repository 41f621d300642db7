import CLibPQ

/// Runs statements on the connection's thread, within a turn.
extension Connection {
    /// Runs one statement, prepared if that is enabled, and returns its only result.
    func run(_ statement: Statement) throws(PostgresError) -> ResultHandle {
        try check(statement)
        try makeRoom()
        let wasIdle = session.transactionStatus == PQTRANS_IDLE
        let wasPrepared = prepared.name(of: statement) != nil
        do throws(PostgresError) {
            return try runOnce(statement)
        } catch {
            guard isStalePlan(error) else { throw error }
            prepared.forget(statement)
            // The statement had no effect. Outside a transaction, it can run again. Within one, its failure has aborted
            // the transaction.
            guard wasIdle, wasPrepared else { throw error }
            return try runOnce(statement)
        }
    }

    private func runOnce(_ statement: Statement) throws(PostgresError) -> ResultHandle {
        try sendAlone(statement)
        return try onlyResult()
    }

    /// Sends one statement outside a pipeline, and prepares it first if it is new.
    func sendAlone(_ statement: Statement) throws(PostgresError) {
        if !configuration.keepsSession {
            try session.send(statement)
        } else if let name = prepared.name(of: statement) {
            try session.send(statement, as: name)
        } else {
            let name = prepared.register(statement)
            do throws(PostgresError) {
                try session.sendPrepare(statement, as: name)
                _ = try onlyResult()
            } catch {
                prepared.forget(statement)
                throw error
            }
            try session.send(statement, as: name)
        }
        try session.flush()
    }

    /// Reads all results of a single statement and returns the last one. Throws the first error.
    func onlyResult() throws(PostgresError) -> ResultHandle {
        try session.flush()
        var last: ResultHandle?
        var firstError: PostgresError?
        while let result = try session.next() {
            if let error = try error(in: result) { firstError = firstError ?? error }
            last = result
        }
        if let firstError { throw firstError }
        guard let last else { throw PostgresError(.server, "the server returned no result") }
        return last
    }

    func runScript(_ sql: String) throws(PostgresError) {
        guard !sql.utf8.contains(0) else { throw PostgresError(.encoding, "SQL cannot contain a NUL") }
        try session.send(script: sql)
        _ = try onlyResult()
    }

    /// Reads and discards the remaining rows of a stream. Throws the first error, unless it is the requested
    /// cancellation.
    func drain() throws(PostgresError) {
        try session.flush()
        var firstError: PostgresError?
        while let result = try session.next() {
            if result.status == PGRES_COPY_OUT {
                try session.skipCopiedData()
            } else {
                if let error = try error(in: result) { firstError = firstError ?? error }
            }
        }
        // 57014, query_canceled, confirms the cancellation.
        if let firstError, firstError.sqlState != "57014" { throw firstError }
    }

    func check(_ statement: Statement) throws(PostgresError) {
        if let failure = statement.failure { throw failure }
        // The protocol counts parameters in 16 bits.
        guard statement.parameters.count <= Int(UInt16.max) else {
            throw PostgresError(.encoding, "a statement has at most 65,535 parameters")
        }
        // libpq reads C strings, so it would silently drop everything after a NUL.
        if statement.sql.utf8.contains(0) { throw PostgresError(.encoding, "SQL cannot contain a NUL") }
        StatementInspection.note(statement)
    }

    /// Whether the error can mean that the server no longer has the prepared statement, or that its tables have
    /// changed.
    func isStalePlan(_ error: PostgresError) -> Bool { error.sqlState == "0A000" || error.sqlState == "26000" }

    /// Deallocates all prepared statements if their limit is reached, unless a failed transaction prevents it.
    func makeRoom() throws(PostgresError) {
        guard prepared.isFull, session.transactionStatus != PQTRANS_INERROR else { return }
        try runScript("DEALLOCATE ALL")
        prepared.forgetAll()
    }

    /// Returns the error in a result, if there is one. A COPY is treated as an error and is ended here, so that the
    /// connection remains usable.
    func error(in result: ResultHandle) throws(PostgresError) -> PostgresError? {
        if let error = result.error { return error }
        switch result.status {
        case PGRES_COPY_OUT: try session.skipCopiedData()
        case PGRES_COPY_IN: try session.endCopy(refusing: "COPY FROM STDIN is not supported")
        default: return nil
        }
        return PostgresError(.busy, "COPY is not supported")
    }
}
