import Domain
import Foundation
import Postgres
import StrictJSON

/// People who checked in without having been on the meeting's list. The check-in code is posted in public, so anyone
/// can check in invented people. Therefore the number of walk-ins is limited, and a host can remove many of them at
/// once.
public struct WalkIns: Sendable {
    public struct Count: Sendable {
        public var people: Int
        /// The maximum number of walk-ins that the meeting admits.
        public var limit: Int
        /// The times of the first and the last check-in that were counted.
        public var first: Date?
        public var last: Date?
    }

    /// Walk-ins are admitted one at a time when at most this many remain before the limit. The margin is larger than
    /// the number of concurrent transactions, so that together they cannot exceed the limit.
    private static let margin = 1_000

    let pool: Pool

    /// Returns three times the head count but at least 500, or 10,000 if the head count is unknown.
    static func limit(headcount: Int?) -> Int { headcount.map { max(3 * $0, 500) } ?? 10_000 }

    public func count(of meeting: Meeting, from start: Date?, to end: Date?) async throws -> Count {
        let rows = try await pool.query(
            """
            SELECT count(*), min(a.checked_in_at), max(a.checked_in_at) FROM attendee a
            WHERE a.meeting_id = \(meeting.id) AND a.walk_in AND a.removed_at IS NULL
                AND a.checked_in_at >= coalesce(\(start), '-infinity')
                AND a.checked_in_at < coalesce(\(end), 'infinity')
            """)
        let (people, first, last) = try rows.single().decode(Int.self, Date?.self, Date?.self)
        return Count(people: people, limit: Self.limit(headcount: meeting.headcount), first: first, last: last)
    }

    /// Removes the walk-ins who checked in within the period, in the same way as `Attendees.remove`, and returns their
    /// number.
    public func remove(_ period: Range<Date>, from meeting: Meeting, by principal: Principal) async throws -> Int {
        try await pool.transaction { connection in
            try await Access.lock(meeting.seriesID, by: principal, atLeast: .editor, on: connection)
            let removed = try await Attendees.remove(
                "a.walk_in AND a.checked_in_at >= \(period.lowerBound) AND a.checked_in_at < \(period.upperBound)",
                from: [meeting.id], on: connection)
            guard removed > 0 else { return 0 }
            try await Audit.record(
                "attendee.remove-walk-ins", of: meeting.id, by: principal.account.id,
                detail: .object([
                    .init("removed", JSONValue(removed)), .init("from", .string(RFC3339.format(period.lowerBound))),
                    .init("to", .string(RFC3339.format(period.upperBound))),
                ]), on: connection)
            try await connection.query(IngestStatement.notification(ofMeeting: meeting.id))
            return removed
        }
    }

    /// Admits an address to a check-in; throws `checkInFull` if it is not on the list and the limit of walk-ins is
    /// reached.
    static func admit(_ email: EmailAddress, to meetingID: UUID, on connection: Connection) async throws {
        if try await !isAdmitted(email, to: meetingID, slack: margin, on: connection) {
            // The lock is held until the transaction ends, so that the next transaction counts this walk-in.
            try await connection.query(
                "SELECT pg_advisory_xact_lock(hashtextextended('walk-ins ' || \(meetingID.lowercased), 0))")
            guard try await isAdmitted(email, to: meetingID, slack: 0, on: connection) else {
                throw Problem(.checkInFull)
            }
        }
    }

    private static func isAdmitted(
        _ email: EmailAddress, to meetingID: UUID, slack: Int, on connection: Connection
    ) async throws -> Bool {
        let rows = try await connection.query(
            """
            SELECT EXISTS (SELECT FROM listed_attendee WHERE meeting_id = m.id AND email = \(email.text)::citext),
                (SELECT count(*) FROM attendee a WHERE a.meeting_id = m.id AND a.walk_in AND a.removed_at IS NULL),
                m.headcount
            FROM meeting m WHERE m.id = \(meetingID)
            """)
        let (isListed, count, headcount) = try rows.requireFirst().decode(Bool.self, Int.self, Int?.self)
        return isListed || count + slack < limit(headcount: headcount)
    }
}
