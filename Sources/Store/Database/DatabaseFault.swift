import Postgres

/// What a failure of the database tells the person at a terminal: one sentence, without the URL and without values.
public struct DatabaseFault: Sendable, Equatable {
    public enum Cause: Sendable {
        /// The URL is none.
        case address
        /// Nobody answers there, or not us.
        case unreachable
        case other
    }

    public let cause: Cause
    public let sentence: String

    /// Nil for an error that does not come from the database.
    public init?(_ error: any Error) {
        guard let error = error as? PostgresError else { return nil }
        let reason = Self.firstLine(error.message)
        if error.kind == .configuration {
            cause = .address
            sentence = "The database URL cannot be read: it looks like postgres://user@host:5432/name."
        } else if error.isConnectionLost {
            cause = .unreachable
            sentence = "The database cannot be reached (\(reason)): start it, or name another with --database-url."
        } else if error.kind == .timeout {
            cause = .unreachable
            sentence = "The database did not answer in time: try again when it is less busy."
        } else if error.sqlState == "42501" {
            cause = .other
            sentence = "The database refuses this user (\(reason)): grant what is missing or connect as its owner."
        } else {
            cause = .other
            sentence = "The database refused a statement: \(error.description)"
        }
    }

    /// Whether an account could not be made because its address has one.
    public static func isTakenAddress(_ error: any Error) -> Bool {
        (error as? PostgresError)?.violates("account_email_unique") ?? false
    }

    private static func firstLine(_ message: String) -> String {
        String(message.prefix { $0 != "\n" })
    }
}
