import Foundation
import Postgres

/// One sentence about a database error for the terminal. It contains neither the URL nor stored values.
public struct DatabaseErrorMessage: Sendable, Equatable {
    public let sentence: String

    /// Returns nil for an error that does not come from the database.
    public init?(_ error: any Error) {
        guard let error = error as? PostgresError else { return nil }
        let reason = Self.cause(error.message)
        if error.kind == .configuration {
            sentence = "The database URL is invalid; expected a URL such as postgres://user@host:5432/name."
        } else if error.isConnectionLost {
            sentence = "The database cannot be reached (\(reason)). Start it, or choose another with --database-url."
        } else if error.kind == .timeout {
            sentence = "The database did not respond in time. Try again when it is less busy."
        } else if error.sqlState == "42501" {
            sentence =
                "The database denied access (\(reason)). Grant the missing privileges, or connect as the tables' owner."
        } else {
            sentence = "A database statement failed: \(error.description)"
        }
    }

    /// Whether creating an account failed because another account has its email address.
    public static func isTakenAddress(_ error: any Error) -> Bool {
        (error as? PostgresError)?.violates("account_email_unique") ?? false
    }

    /// The first line of a message, without the question that libpq adds when a connection fails. Further lines name
    /// the other servers that libpq tried.
    private static func cause(_ message: String) -> String {
        let line = message.prefix { $0 != "\n" }
        return String(line.range(of: " Is the server running").map { line[..<$0.lowerBound] } ?? line)
    }
}
