/// What went wrong between this process and PostgreSQL.
///
/// `description` is safe to log: it has the SQLSTATE, the constraint and the primary message, except the messages of
/// classes 22 and 23, which may quote a value (`invalid input syntax for type uuid: "…"`). `detail` shows whole rows
/// and is never a part of it.
public struct PostgresError: Error, Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// The URL or the configuration cannot be used as it stands.
        case configuration
        /// No connection could be made.
        case connectionFailed
        /// The connection ended while it was in use; whether the statement took effect is unknown.
        case connectionLost
        /// The pool had no connection to give in time.
        case timeout
        /// The calling task was cancelled.
        case cancelled
        /// The server refused the statement; see `sqlState`.
        case server
        /// A column holds another type than was asked for, or a NULL.
        case decoding
        /// A parameter cannot be sent.
        case encoding
        /// The connection or the pool was closed on this side.
        case closed
        /// The connection is held by a stream or a transaction that is still open.
        case busy
    }

    public var kind: Kind
    public var sqlState: String?
    public var constraint: String?
    public var table: String?
    public var column: String?
    public var message: String
    /// The server's detail; it may show the values of a row.
    public var detail: String?
    public var hint: String?
    /// Which statement of a pipeline failed, counted from 0.
    public var pipelineIndex: Int?

    public init(_ kind: Kind, _ message: String, sqlState: String? = nil) {
        self.kind = kind
        self.message = message
        self.sqlState = sqlState
    }

    /// A serialization failure or a deadlock: the same transaction may succeed when run again.
    public var isRetryable: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// The connection is gone or was never there, or the server is shutting down or starting up.
    public var isConnectionLost: Bool {
        if kind == .connectionLost || kind == .connectionFailed { return true }
        guard let sqlState else { return false }
        return sqlState.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(sqlState)
    }

    /// Whether the constraint of this name was broken; a distributed table adds `_` and its shard's number to the name.
    public func violates(_ name: String) -> Bool {
        guard let constraint, constraint.hasPrefix(name) else { return false }
        let rest = constraint.utf8.dropFirst(name.utf8.count)
        guard let underscore = rest.first else { return true }
        let digits = rest.dropFirst()
        return underscore == UInt8(ascii: "_") && !digits.isEmpty
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    static let cancelled = PostgresError(.cancelled, "the task was cancelled")
    static let closed = PostgresError(.closed, "the connection is closed")
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        var words = sqlState.map { "\(kind) \($0)" } ?? "\(kind)"
        if let constraint { words += " (\(constraint))" }
        let mayQuoteValues = sqlState.map { $0.hasPrefix("22") || $0.hasPrefix("23") } ?? false
        if !mayQuoteValues { words += ": \(message)" }
        return words
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
