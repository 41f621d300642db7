import CLibPQ

/// The output of a `COPY … TO STDOUT` in chunks of about 64 KiB, with backpressure.
public struct CopyOut: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = PostgresError

    let connection: Connection
    let statement: Statement

    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: StreamReader(connection: connection, statement: statement))
    }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private var reader: StreamReader?
        private var hasBegun = false

        init(reader: StreamReader) { self.reader = reader }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(PostgresError) -> [UInt8]? {
            guard let reader else { return nil }
            do throws(PostgresError) {
                if !hasBegun { try await reader.connection.beginCopy(reader) }
                hasBegun = true
                if let bytes = try await reader.connection.nextBytes(reader) { return bytes }
            } catch {
                self.reader = nil
                throw error
            }
            self.reader = nil
            return nil
        }
    }
}

extension Connection {
    /// Streams the output of a `COPY … TO STDOUT` in constant memory. The statement may have parameters where SQL
    /// allows literals.
    public nonisolated func copyOut(_ statement: Statement) -> CopyOut {
        CopyOut(connection: self, statement: statement)
    }

    fileprivate func beginCopy(_ reader: StreamReader) async throws(PostgresError) {
        try await turn { () throws(PostgresError) in
            let sql = try literalSQL(of: reader.statement)
            reader.token.isInTransaction = session.transactionStatus != PQTRANS_IDLE
            // COPY takes no bound parameters, so the server quotes them as literals.
            try session.send(Statement(unsafeSQL: sql))
            try session.flush()
            guard let result = try session.next() else { return }
            if result.status == PGRES_COPY_OUT {
                activeStream = reader.token
                return
            }
            if result.status == PGRES_COPY_IN { try session.endCopy(refusing: "COPY FROM STDIN requires copyIn") }
            try drain()
            throw result.error ?? PostgresError(.busy, "copyOut requires a COPY … TO STDOUT statement")
        }
    }

    fileprivate func nextBytes(_ reader: StreamReader) async throws(PostgresError) -> [UInt8]? {
        try await turn(of: reader.token) { () throws(PostgresError) in
            guard activeStream === reader.token else { throw PostgresError(.closed, "the stream has ended") }
            if let bytes = try session.copiedBytes(atLeast: 1 << 16) { return bytes }
            activeStream = nil
            var firstError: PostgresError?
            while let result = try session.next() { firstError = firstError ?? result.error }
            if let firstError { throw firstError }
            return nil
        }
    }

    /// Returns the SQL of a statement with each parameter replaced by a literal that the server has quoted, because
    /// COPY takes no parameters.
    func literalSQL(of statement: Statement) throws(PostgresError) -> String {
        try check(statement)
        guard statement.parameters.count > 0 else { return statement.sql }
        let columns = (1...statement.parameters.count).map {
            "quote_nullable($\($0)::text) || '::' || pg_typeof($\($0))::text"
        }
        let quoting = statement.replacingSQL("SELECT " + columns.joined(separator: ", "))
        let literals = Row(result: try run(quoting), index: 0)
        let texts = statement.texts
        var sql = String(texts[0])
        for (index, text) in texts.dropFirst().enumerated() {
            sql += try String.decode(literals.result.cell(row: 0, column: index))
            sql += text
        }
        return sql
    }
}
