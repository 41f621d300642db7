import CLibPQ

/// The rows of a query in chunks, with backpressure, as `COPY` sends them.
///
/// For each row of a `RowStream`, libpq allocates a result of about 2,000 bytes. The bytes of `COPY` are copied only
/// once, so a `CopyStream` reads very many rows in a fraction of the time. `COPY` accepts no parameters and does not
/// send the types of its columns, so the caller must know them.
///
/// The stream occupies the connection while it is read. Ending the iteration early cancels the statement or, within a
/// transaction, discards the remaining rows.
public struct CopyStream: AsyncSequence, Sendable {
    public typealias Element = CopiedRows
    public typealias Failure = PostgresError

    let connection: Connection
    let statement: Statement

    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: StreamReader(connection: connection, statement: statement))
    }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private var reader: StreamReader?
        private var hasBegun = false
        private var hasHeader = false

        init(reader: StreamReader) { self.reader = reader }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(PostgresError) -> CopiedRows? {
            guard let reader else { return nil }
            do throws(PostgresError) {
                if !hasBegun { try await reader.connection.beginCopy(reader) }
                hasBegun = true
                while let bytes = try await reader.connection.nextCopiedBytes(reader) {
                    let rows = try CopiedRows(bytes, isFirst: !hasHeader)
                    hasHeader = true
                    // The last chunk may contain nothing but the end marker.
                    if rows.count > 0 { return rows }
                }
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
    /// Streams the rows of a query without parameters in constant memory.
    public nonisolated func copiedRows(_ query: Statement) -> CopyStream {
        CopyStream(connection: self, statement: "COPY (\(fragment: query)) TO STDOUT (FORMAT binary)")
    }

    fileprivate static var bytesInChunk: Int { 1 << 16 }

    fileprivate func beginCopy(_ reader: StreamReader) async throws(PostgresError) {
        try await turn { () throws(PostgresError) in
            try check(reader.statement)
            reader.token.isInTransaction = session.transactionStatus != PQTRANS_IDLE
            try session.send(reader.statement)
            try session.flush()
            guard let result = try session.next() else {
                throw PostgresError(.server, "the server returned no result")
            }
            guard result.status == PGRES_COPY_OUT else {
                let failure = try error(in: result)
                try drain()
                throw failure ?? PostgresError(.server, "the server does not copy")
            }
            activeStream = reader.token
        }
    }

    /// Returns the bytes of the next rows, or nil after the last. The first chunk starts with the header of the format.
    fileprivate func nextCopiedBytes(_ reader: StreamReader) async throws(PostgresError) -> [UInt8]? {
        try await turn(of: reader.token) { () throws(PostgresError) in
            if reader.token.hasEnded { return nil }
            guard activeStream === reader.token else { throw PostgresError(.closed, "the stream has ended") }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Connection.bytesInChunk * 2)
            do throws(PostgresError) {
                while bytes.count < Connection.bytesInChunk {
                    guard try session.copyData(into: &bytes) else {
                        while let result = try session.next() {
                            if let error = try error(in: result) { throw error }
                        }
                        activeStream = nil
                        reader.token.end()
                        return bytes.isEmpty ? nil : bytes
                    }
                }
            } catch {
                activeStream = nil
                try drain()
                throw error
            }
            return bytes
        }
    }
}
