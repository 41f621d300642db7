import CLibPQ

extension Connection {
    /// Runs a `COPY … FROM STDIN` and returns the number of stored rows.
    ///
    /// If the source throws or the task is cancelled, nothing is stored.
    public func copyIn(
        _ statement: Statement, from source: some AsyncSequence<[UInt8], any Error> & Sendable
    ) async throws -> Int {
        let token = StreamToken()
        try await beginCopyIn(statement, token)
        do {
            for try await bytes in source {
                try await turn(of: token) { () throws(PostgresError) in try session.copy(bytes) }
            }
            // When the task is cancelled, the source may end early without an error.
            try Task.checkCancellation()
        } catch {
            refuseCopy(token)
            throw error
        }
        return try await turn(of: token) { () throws(PostgresError) in
            activeStream = nil
            try session.endCopy()
            return try onlyResult().affected
        }
    }

    private func beginCopyIn(_ statement: Statement, _ token: StreamToken) async throws(PostgresError) {
        try await turn { () throws(PostgresError) in
            let sql = try literalSQL(of: statement)
            // COPY takes no bound parameters, so the server quotes them as literals.
            try session.send(Statement(unsafeSQL: sql))
            try session.flush()
            guard let result = try session.next() else { return }
            if result.status == PGRES_COPY_IN {
                activeStream = token
                return
            }
            try drain()
            throw result.error ?? PostgresError(.busy, "copyIn requires a COPY … FROM STDIN statement")
        }
    }

    private func refuseCopy(_ token: StreamToken) {
        guard activeStream === token else { return }
        activeStream = nil
        do throws(PostgresError) {
            try session.endCopy(refusing: "the source failed")
            while try session.next() != nil {}
        } catch {
            session.close()
        }
        updateStatus()
    }
}
