/// An error of PostgreSQL or of the connection to it.
///
/// `description` is safe to log. It contains the SQLSTATE, the constraint and the primary message, except the messages
/// of classes 22 and 23, which may quote a value (`invalid input syntax for type uuid: "…"`). It never contains
/// `detail`, which shows whole rows.
public struct PostgresError: Error, Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// The URL or the configuration is invalid.
        case configuration
        /// The connection could not be established.
        case connectionFailed
        /// The connection was lost during use. Whether the statement took effect is unknown.
        case connectionLost
        /// The pool had no free connection in time.
        case timeout
        /// The calling task was cancelled.
        case cancelled
        /// The server rejected the statement. See `sqlState`.
        case server
        /// A column has another type than requested, or is NULL.
        case decoding
        /// A parameter can't be encoded.
        case encoding
        /// The connection or the pool was closed by this process.
        case closed
        /// The connection is occupied by a stream or a transaction that is still open.
        case busy
    }

    public var kind: Kind
    public var sqlState: String?
    public var constraint: String?
    public var table: String?
    public var column: String?
    public var message: String
    /// The server's detail. It may contain the values of a row.
    public var detail: String?
    /// The index of the failed statement in a pipeline.
    public var pipelineIndex: Int?

    public init(_ kind: Kind, _ message: String, sqlState: String? = nil) {
        self.kind = kind
        self.message = message
        self.sqlState = sqlState
    }

    /// Whether the error is a serialization failure or a deadlock, so that the transaction may succeed when retried.
    public var isRetryable: Bool { sqlState == "40001" || isDeadlock }
    /// Whether the server has ended the transaction because it and others waited for each other.
    var isDeadlock: Bool { sqlState == "40P01" }

    /// Whether the connection was lost or not established, or the server is shutting down or starting up, or has become
    /// a replica.
    public var isConnectionLost: Bool {
        if kind == .connectionLost || kind == .connectionFailed { return true }
        guard let sqlState else { return false }
        return sqlState.hasPrefix("08") || ["25006", "57P01", "57P02", "57P03"].contains(sqlState)
    }

    /// Whether the constraint with this name was violated. On a distributed table, the reported name ends with `_` and
    /// the shard's number.
    public func violates(_ name: String) -> Bool {
        guard let constraint, constraint.hasPrefix(name) else { return false }
        let suffix = constraint.utf8.dropFirst(name.utf8.count)
        guard let underscore = suffix.first else { return true }
        let digits = suffix.dropFirst()
        return underscore == UInt8(ascii: "_") && !digits.isEmpty
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Sets the names of a violated constraint from the message. An error that Citus passes on from another server has no
    /// fields for them. The message must be English.
    package mutating func readNamesInMessage() {
        func name(after word: String) -> String? {
            guard let start = message.firstRange(of: "\(word) \"")?.upperBound else { return nil }
            return message[start...].firstIndex(of: "\"").map { String(message[start..<$0]) }
        }
        constraint = name(after: "constraint")
        table = name(after: "relation") ?? name(after: "table")
        column = name(after: "column")
    }

    static let cancelled = PostgresError(.cancelled, "the task was cancelled")
    static let closed = PostgresError(.closed, "the connection is closed")
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        var text = sqlState.map { "\(kind) \($0)" } ?? "\(kind)"
        if let constraint { text += " (\(constraint))" }
        let mayQuoteValues = sqlState.map { $0.hasPrefix("22") || $0.hasPrefix("23") } ?? false
        if !mayQuoteValues { text += ": \(message)" }
        return text
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
