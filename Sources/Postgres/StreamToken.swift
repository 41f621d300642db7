import Synchronization

/// The right of one stream to its connection.
final class StreamToken: Sendable {
    private let abandoned = Atomic<Bool>(false)
    private let transaction = Atomic<Bool>(false)
    private let ended = Atomic<Bool>(false)

    /// Nobody reads any more.
    var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }
    func abandon() { abandoned.store(true, ordering: .releasing) }

    /// Everything was read.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }
    func end() { ended.store(true, ordering: .releasing) }

    /// The stream began inside of a transaction.
    var isInTransaction: Bool {
        get { transaction.load(ordering: .acquiring) }
        set { transaction.store(newValue, ordering: .releasing) }
    }
}

/// Reads one stream; when it is freed early, the connection stops the stream and is free again.
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
        Task { [connection] in await connection.settleAbandonedStream() }
    }
}
