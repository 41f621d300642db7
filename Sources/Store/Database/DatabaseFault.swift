import Postgres

/// A database error as one sentence for the terminal, without the URL and without values.
public struct DatabaseFault: Sendable, Equatable {
    public enum Cause: Sendable {
        /// The URL is invalid.
        case address
        /// The server can't be reached, refuses the connection or does not respond in time.
        case unreachable
        case other
    }

    public let cause: Cause
    public let sentence: String

    /// Returns nil for an error that does not come from the database.
    public init?(_ error: any Error) {
        guard let error = error as? PostgresError else { return nil }
        let reason = Self.firstLine(error.message)
        if error.kind == .configuration {
            cause = .address
            sentence = "The database URL cannot be read: it looks like postgres://user@host:5432/name."
        } else if error.isConnectionLost {
            cause = .unreachable
            sentence = "The database cannot be reached (\(reason)): start it, or choose another with --database-url."
        } else if error.kind == .timeout {
            cause = .unreachable
            sentence = "The database did not respond in time: try again when it is less busy."
        } else if error.sqlState == "42501" {
            cause = .other
            sentence = "The database refuses this user (\(reason)): grant what is missing or connect as its owner."
        } else {
            cause = .other
            sentence = "The database refused a statement: \(error.description)"
        }
    }

    /// Whether creating an account failed because another account has its email address.
    public static func isTakenAddress(_ error: any Error) -> Bool {
        (error as? PostgresError)?.violates("account_email_unique") ?? false
    }

    private static func firstLine(_ message: String) -> String {
        String(message.prefix { $0 != "\n" })
    }
}
