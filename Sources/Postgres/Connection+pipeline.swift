import CLibPQ

extension Connection {
    /// Sends all statements with one Sync before it reads the first result. Outside a transaction, the statements form
    /// one implicit transaction, which succeeds or fails as a whole. The error's `pipelineIndex` is the index of the
    /// failed statement.
    ///
    /// - Parameter onceSent: Called after everything has been sent, on the connection's thread, which would otherwise
    ///   only wait. Not called if an error occurs earlier. It must not block.
    @discardableResult
    public func pipeline(
        _ statements: [Statement], onceSent: (@Sendable () -> Void)? = nil
    ) async throws(PostgresError) -> [Rows] {
        if statements.isEmpty { return [] }
        return try await turn { () throws(PostgresError) in
            for statement in statements { try check(statement) }
            try makeRoom()
            let mayRepeat = session.transactionStatus == PQTRANS_IDLE && configuration.keepsSession
            do throws(PostgresError) {
                return try runPipeline(statements, onceSent)
            } catch {
                guard isStalePlan(error), mayRepeat else { throw error }
                prepared.forgetAll()
                _ = try run("DEALLOCATE ALL")
                // `run` has prepared `DEALLOCATE ALL` too, which then deallocated itself.
                prepared.forgetAll()
                return try runPipeline(statements)
            }
        }
    }

    private func runPipeline(
        _ statements: [Statement], _ onceSent: (@Sendable () -> Void)? = nil
    ) throws(PostgresError) -> [Rows] {
        try session.enterPipeline()
        // For each statement, whether it is prepared first, which adds a result before its own.
        var preparing = [Bool](repeating: false, count: statements.count)
        for (index, statement) in statements.enumerated() {
            if let name = prepared.name(of: statement) {
                try session.send(statement, as: name)
            } else if configuration.keepsSession, !prepared.isFull {
                let name = prepared.register(statement)
                preparing[index] = true
                try session.sendPrepare(statement, as: name)
                try session.send(statement, as: name)
            } else {
                try session.send(statement)
            }
        }
        try session.sync()
        try session.flush()
        onceSent?()
        return try readPipeline(statements, preparing: preparing)
    }

    private func readPipeline(_ statements: [Statement], preparing: [Bool]) throws(PostgresError) -> [Rows] {
        var results: [Rows] = []
        results.reserveCapacity(statements.count)
        var firstError: PostgresError?
        for (index, statement) in statements.enumerated() {
            if preparing[index] {
                let result = try nextInPipeline()
                if result?.status != PGRES_COMMAND_OK { prepared.forget(statement) }
                firstError = firstError ?? result?.error?.inPipeline(at: index)
            }
            guard let result = try nextInPipeline() else { continue }
            firstError = firstError ?? result.error?.inPipeline(at: index)
            results.append(Rows(result: result))
        }
        let syncError = try readToSync()
        if let error = firstError ?? syncError { throw error }
        guard results.count == statements.count else {
            throw PostgresError(.server, "the server returned no result for a statement of the pipeline")
        }
        return results
    }

    /// Reads up to the result of the Sync, leaves the pipeline, and returns the first error. An error of the implicit
    /// COMMIT, such as a violated deferred constraint, appears only here, after every statement has succeeded.
    private func readToSync() throws(PostgresError) -> PostgresError? {
        var firstError: PostgresError?
        var endMarks = 0
        // libpq marks the end of each statement's results with nil. Two nils in a row mean that no Sync will arrive.
        while endMarks < 2 {
            guard let result = try session.next() else {
                endMarks += 1
                continue
            }
            endMarks = 0
            if result.status == PGRES_PIPELINE_SYNC {
                try leavePipeline()
                return firstError
            }
            firstError = firstError ?? result.error
        }
        session.close()
        throw PostgresError(.connectionLost, "the pipeline did not end, so the connection was closed")
    }

    private func leavePipeline() throws(PostgresError) {
        do throws(PostgresError) {
            try session.exitPipeline()
        } catch {
            // The connection can no longer be used outside a pipeline.
            session.close()
            throw error
        }
    }

    /// Returns the result of the next statement in a pipeline, and reads up to the nil that marks the end of its
    /// results.
    private func nextInPipeline() throws(PostgresError) -> ResultHandle? {
        guard let result = try session.next() else { return nil }
        if [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(result.status) {
            // libpq does not support COPY in a pipeline, and could not leave the pipeline afterwards.
            session.close()
            throw PostgresError(.closed, "COPY is not supported in a pipeline, so the connection was closed")
        }
        while try session.next() != nil {}
        return result
    }
}

extension PostgresError {
    fileprivate func inPipeline(at index: Int) -> PostgresError {
        var error = self
        error.pipelineIndex = index
        return error
    }
}
