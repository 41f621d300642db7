import Synchronization

/// Represents the exclusive use of a connection by one stream.
final class StreamToken: Sendable {
    private let abandoned = Atomic<Bool>(false)
    private let transaction = Atomic<Bool>(false)
    private let ended = Atomic<Bool>(false)

    /// Whether the reader was deallocated.
    var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }
    func abandon() { abandoned.store(true, ordering: .releasing) }

    /// Whether the stream was read to its end.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }
    func end() { ended.store(true, ordering: .releasing) }

    /// Whether the stream began within a transaction.
    var isInTransaction: Bool {
        get { transaction.load(ordering: .acquiring) }
        set { transaction.store(newValue, ordering: .releasing) }
    }
}

/// The reader of one stream. If it is deallocated before the end, the connection ends the stream and can be used again.
final class StreamReader: Sendable {
    let connection: Connection
    let statement: Statement
    let token = StreamToken()

    init(connection: Connection, statement: Statement) {
        self.connection = connection
        self.statement = statement
    }

    deinit {
        token.abandon()
        Task { [connection] in await connection.endAbandonedStream() }
    }
}
