import CLibPQ

/// The rows of a statement in chunks, with backpressure.
///
/// The stream occupies the connection while it is read. Ending the iteration early cancels the statement or, within a
/// transaction, discards the remaining rows.
public struct RowStream: AsyncSequence, Sendable {
    public typealias Element = [Row]
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
        ) async throws(PostgresError) -> [Row]? {
            guard let reader else { return nil }
            do throws(PostgresError) {
                if !hasBegun { try await reader.connection.beginRows(reader) }
                hasBegun = true
                if let rows = try await reader.connection.nextRows(reader) { return rows }
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
    /// Streams the result in constant memory.
    public nonisolated func rows(_ statement: Statement) -> RowStream {
        RowStream(connection: self, statement: statement)
    }

    fileprivate static var rowsInChunk: Int { 256 }
    /// A chunk ends when its results occupy this number of bytes, because rows may be large. Even a small row, which
    /// libpq returns as a result of its own, takes about 2,000 bytes.
    fileprivate static var bytesInChunk: Int { 1 << 20 }

    fileprivate func beginRows(_ reader: StreamReader) async throws(PostgresError) {
        try await turn { () throws(PostgresError) in
            try check(reader.statement)
            try makeRoom()
            reader.token.isInTransaction = session.transactionStatus != PQTRANS_IDLE
            try sendAlone(reader.statement)
            activeStream = reader.token
            try session.streamRows()
        }
    }

    fileprivate func nextRows(_ reader: StreamReader) async throws(PostgresError) -> [Row]? {
        try await turn(of: reader.token) { () throws(PostgresError) in
            if reader.token.hasEnded { return nil }
            guard activeStream === reader.token else { throw PostgresError(.closed, "the stream has ended") }
            var rows: [Row] = []
            var size = 0
            do throws(PostgresError) {
                while rows.count < Connection.rowsInChunk, size < Connection.bytesInChunk {
                    guard let result = try session.next() else {
                        activeStream = nil
                        reader.token.end()
                        return rows.isEmpty ? nil : rows
                    }
                    if let error = try error(in: result) { throw error }
                    size += result.size
                    for index in 0..<result.rowCount { rows.append(Row(result: result, index: index)) }
                }
            } catch {
                activeStream = nil
                if isStalePlan(error) { prepared.forget(reader.statement) }
                try drain()
                throw error
            }
            return rows
        }
    }
}
