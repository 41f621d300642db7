import Domain
import Postgres
import StrictJSON

extension PostgresError {
    /// The problem that a client gets for a database error. It is chosen by kind, SQLSTATE and constraint, never by
    /// message. Nil means that the error is a bug in this program.
    public var problem: Problem? {
        if violates("meeting_no_overlap") { return Problem(.meetingOverlap) }
        if violates("member_email_unique") { return Problem(.attendeeExists) }
        if violates("account_email_unique") { return Problem(.accountExists) }
        if violates("attendee_email_unique") { return Problem(.attendeeExists) }
        if isConnectionLost { return Problem(.databaseUnavailable, retryAfter: 1) }
        switch kind {
        case .timeout, .cancelled, .closed: return Problem(.overloaded, retryAfter: 1)
        default: break
        }
        switch sqlState {
        // All texts are valid UTF-8, so the character is NUL, which only a client can have sent.
        case "22021", "22P05": return Problem(.badRequest, "A text cannot contain the character NUL.")
        case "23514": return checkViolation
        case "55P03", "40001", "40P01", "53300", "53200", "57014": return Problem(.overloaded, retryAfter: 1)
        case "53100", "25006": return Problem(.databaseUnavailable, retryAfter: 5)
        default: return nil
        }
    }

    /// The problem for a value that the program accepted, but a check constraint of a control table rejected. Check
    /// constraints of data tables apply to values that this program computes, so their violation is a bug.
    private var checkViolation: Problem? {
        let lengths = [
            ("series_title_length", "/title"), ("meeting_title_length", "/title"), ("meeting_place_length", "/place"),
            ("account_name_length", "/name"), ("attendee_name_length", "/name"),
        ]
        if let (_, pointer) = lengths.first(where: { violates($0.0) }) {
            return Problem([Fault(.invalid, at: pointer, code: "too-long", "This is too long.")])
        }
        guard let table, !["submission", "form_state", "tally", "timeline"].contains(where: table.hasPrefix) else {
            return nil
        }
        return Problem(.validationFailed)
    }
}

extension Store {
    /// Returns the problem for a database error; nil for any other error and for a bug in this program.
    public static func problem(_ error: any Error) -> Problem? {
        (error as? PostgresError)?.problem
    }
}
