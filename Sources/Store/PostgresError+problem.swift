import Domain
import Postgres

extension PostgresError {
    /// What a client is told of an error that the database judged: by SQLSTATE and constraint, never by message.
    /// Nil is a fault of this program.
    public var problem: Problem? {
        if violates("meeting_no_overlap") { return Problem(.meetingOverlap) }
        if violates("account_email_unique") { return Problem(.accountExists) }
        if isConnectionLost { return Problem(.databaseUnavailable, retryAfter: 1) }
        switch kind {
        case .timeout: return Problem(.overloaded, retryAfter: 1)
        default: break
        }
        switch sqlState {
        case "55P03", "40001", "40P01", "53300", "53200": return Problem(.overloaded, retryAfter: 1)
        case "53100", "25006": return Problem(.databaseUnavailable, retryAfter: 5)
        default: return nil
        }
    }
}

extension Store {
    /// The problem that an error from below stands for; nil for a fault of this program.
    public static func problem(_ error: any Error) -> Problem? {
        (error as? PostgresError)?.problem
    }
}
