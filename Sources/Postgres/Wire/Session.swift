import CLibPQ

/// A `PGconn` in non-blocking mode. All waiting happens here, in `poll`, on the thread of the connection that owns it.
final class Session {
    private var connection: OpaquePointer?
    /// Whether the connection uses TLS. If so, decrypted data may be buffered where `poll` can't see it.
    private var usesTLS = false

    deinit { close() }

    func open(_ configuration: PostgresConfiguration) throws(PostgresError) -> Canceller {
        try Session.check(configuration.url)
        // The timeout in seconds applies if the URL has no `connect_timeout`.
        let opened = shim_connect(configuration.url, configuration.applicationName, "5")
        connection = opened
        guard PQstatus(opened) == CONNECTION_OK, let cancel = PQgetCancel(opened) else {
            defer { close() }
            throw PostgresError(.connectionFailed, lastMessage)
        }
        // Notices may quote values, and libpq prints them by default.
        PQsetNoticeReceiver(opened, { _, _ in }, nil)
        PQsetnonblocking(opened, 1)
        usesTLS = PQsslInUse(opened) == 1
        return Canceller(cancel)
    }

    /// Checks the format of the URL. The error does not contain libpq's message, which may quote the URL with its
    /// password.
    private static func check(_ url: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        if options == nil || url.utf8.contains(0) {
            throw PostgresError(
                .configuration, "the database URL is invalid; expected a URL such as postgres://user@host/name")
        }
    }

    /// Closes the connection. In non-blocking mode, this never blocks, and sends as much of the termination message as
    /// possible.
    func close() {
        PQfinish(connection)
        connection = nil
    }

    /// Whether this process has a connection that it has not closed. The server may have closed it.
    var isOpen: Bool { connection != nil }
    var isUsable: Bool { connection != nil && PQstatus(connection) == CONNECTION_OK }
    var socket: Int32 { connection == nil ? -1 : PQsocket(connection) }
    var transactionStatus: PGTransactionStatusType { PQtransactionStatus(connection) }

    // MARK: Sending

    func send(script: String) throws(PostgresError) {
        try check(PQsendQuery(connection, script))
    }

    func send(_ statement: Statement) throws(PostgresError) {
        let sent = statement.parameters.withPointers { count, types, values, lengths, formats in
            PQsendQueryParams(connection, statement.sql, count, types, values, lengths, formats, 1)
        }
        try check(sent)
    }

    func send(_ statement: Statement, as name: String) throws(PostgresError) {
        let sent = statement.parameters.withPointers { count, _, values, lengths, formats in
            PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1)
        }
        try check(sent)
    }

    func sendPrepare(_ statement: Statement, as name: String) throws(PostgresError) {
        let sent = statement.parameters.withTypes { PQsendPrepare(connection, name, statement.sql, $0, $1) }
        try check(sent)
    }

    func enterPipeline() throws(PostgresError) { try check(PQenterPipelineMode(connection)) }
    func sync() throws(PostgresError) { try check(PQpipelineSync(connection)) }
    func exitPipeline() throws(PostgresError) { try check(PQexitPipelineMode(connection)) }
    func streamRows() throws(PostgresError) { try check(PQsetSingleRowMode(connection)) }

    private func check(_ result: Int32) throws(PostgresError) {
        if result != 1 { throw failure() }
    }

    /// Sends all queued data. Reads at the same time, so that client and server do not wait for each other when both
    /// buffers are full.
    func flush() throws(PostgresError) {
        while true {
            let state = PQflush(connection)
            if state == 0 { return }
            guard state == 1 else { throw failure() }
            if shim_wait(socket, events(toWrite: true), -1, -1) & readable != 0, !consume() { throw failure() }
        }
    }

    // MARK: Receiving

    /// Returns the next result of the current statement, or nil after the last one.
    func next() throws(PostgresError) -> ResultHandle? {
        while PQisBusy(connection) == 1 {
            let ready = shim_wait(socket, events(toWrite: PQflush(connection) == 1), -1, -1)
            if ready & readable != 0, !consume() { break }
        }
        guard let pointer = PQgetResult(connection) else {
            if PQstatus(connection) != CONNECTION_OK { throw failure() }
            return nil
        }
        let result = ResultHandle(pointer)
        if PQstatus(connection) != CONNECTION_OK || result.isFatal {
            var error = failure()
            if let serverError = result.error, serverError.sqlState != nil {
                error = serverError
                error.kind = .connectionLost
            }
            throw error
        }
        return result
    }

    /// Reads available data. Returns false if the connection is lost.
    func consume() -> Bool {
        // A TLS record has up to 16 KiB, and one call reads at least 8 KiB of it. `poll` would not report the rest.
        for _ in 0..<(usesTLS ? 3 : 1) where PQconsumeInput(connection) != 1 { return false }
        return true
    }

    func notification() -> (channel: String, payload: String)? {
        guard let notify = PQnotifies(connection) else { return nil }
        defer { PQfreemem(notify) }
        return (String(cString: notify.pointee.relname), String(cString: notify.pointee.extra))
    }

    /// Waits until there is data to read, or `interrupt` becomes readable. Returns whether there is data to read.
    func waitForInput(or interrupt: Int32) -> Bool { shim_wait(socket, readable, interrupt, -1) & readable != 0 }

    // MARK: Copying

    /// Appends the next row of a `COPY … TO STDOUT`. Returns false after the last one, after which `next()` returns the
    /// result.
    func copyData(into bytes: inout [UInt8]) throws(PostgresError) -> Bool {
        while true {
            var row: UnsafeMutablePointer<CChar>?
            let length = PQgetCopyData(connection, &row, 1)
            if length == -1 { return false }
            if let row, length > 0 {
                bytes.append(contentsOf: UnsafeRawBufferPointer(start: row, count: Int(length)))
                PQfreemem(row)
                return true
            }
            guard length == 0 else { throw failure() }
            if shim_wait(socket, readable, -1, -1) & readable != 0, !consume() { throw failure() }
        }
    }

    /// Reads and discards the output of a `COPY … TO STDOUT`, after which `next()` returns the result.
    func skipCopiedData() throws(PostgresError) {
        while true {
            var row: UnsafeMutablePointer<CChar>?
            let length = PQgetCopyData(connection, &row, 1)
            if length < 0 { return }
            if length > 0 {
                PQfreemem(row)
            } else if shim_wait(socket, readable, -1, -1) & readable != 0, !consume() {
                throw failure()
            }
        }
    }

    /// Ends a `COPY … FROM STDIN` without data, after which `next()` returns the server's error.
    func endCopy(refusing reason: String) throws(PostgresError) {
        while true {
            let ended = PQputCopyEnd(connection, reason)
            if ended < 0 { throw failure() }
            try flush()
            if ended == 1 { return }
        }
    }

    // MARK: Errors

    private var readable: Int32 { SHIM_READABLE }

    /// The events to wait for.
    private func events(toWrite: Bool) -> Int32 {
        readable | (toWrite ? SHIM_WRITABLE : 0)
    }

    /// libpq's message on one line. The message of a failed connection has several lines, with the later ones indented.
    private var lastMessage: String {
        String(cString: PQerrorMessage(connection)).split(whereSeparator: \.isNewline)
            .map { $0.drop(while: \.isWhitespace) }.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private func failure() -> PostgresError {
        if connection == nil { return .closed }
        return PostgresError(isUsable ? .busy : .connectionLost, lastMessage)
    }
}
