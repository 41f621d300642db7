import Domain
import Foundation
import Postgres

/// A day of a calendar.
public struct CalendarDay: Sendable, Equatable {
    /// The local day, such as `2026-11-21`.
    public var date: String
    public var meetings: Int
    /// The number of meetings whose form is open now.
    public var formsOpen: Int
    public var attended: Int
    public var submissions: Int
}

/// Meetings grouped by the local day of their start.
public struct MeetingCalendar: Sendable {
    /// The start or end of a period: the start of a local day, or an instant.
    public enum Bound: Sendable {
        /// A local day, such as `2026-11-21`.
        case day(String)
        case instant(Date)

        /// An expression: the instant of the bound. A local day starts at midnight in the zone `z.name`.
        fileprivate var instant: Statement {
            switch self {
            case .day(let day): "(\(day)::text::date::timestamp AT TIME ZONE z.name)"
            case .instant(let instant): "\(instant)::timestamptz"
            }
        }
    }

    /// The maximum number of days in one calendar.
    public static let maxDays = 366

    let pool: Pool
    let zones: TimeZones

    /// Returns the days with meetings that the caller may list.
    ///
    /// - Parameter timeZone: The zone that determines the days. Nil for the time zone of the account, or UTC if it has
    ///   none.
    public func days(
        from start: Bound, to end: Bound, timeZone: String?, for principal: Principal
    ) async throws -> [CalendarDay] {
        if let timeZone { try await zones.require(timeZone, at: "?timeZone") }
        let rows = try await pool.query(Self.statement(from: start, to: end, timeZone: timeZone, for: principal))
        return try rows.map { row in
            let (date, meetings, formsOpen, attended, submissions) = try row.decode(
                String.self, Int.self, Int.self, Int.self, Int.self)
            return CalendarDay(
                date: date, meetings: meetings, formsOpen: formsOpen, attended: attended, submissions: submissions)
        }
    }

    /// Selects the days with their numbers of meetings, open forms, people who attended, and submissions.
    ///
    /// The meetings are joined with their attendees. A subquery for each meeting would read the whole list of attendees
    /// each time if the statistics say that most people attended one meeting.
    static func statement(
        from start: Bound, to end: Bound, timeZone: String?, for principal: Principal
    ) -> Statement {
        let zone: Statement = """
            coalesce(\(timeZone)::text, (SELECT a.time_zone FROM account a WHERE a.id = \(principal.account.id)), 'UTC')
            """
        // A period whose bounds are instants can include parts of two more local days.
        return """
            WITH zone AS MATERIALIZED (SELECT \(fragment: zone) AS name), listed AS MATERIALIZED (
                SELECT m.id, to_char(m.starts_at AT TIME ZONE z.name, 'YYYY-MM-DD') AS date, fs.submissions,
                    form_state_at(fs.state, fs.opens_at, fs.closes_at, fs.grace_minutes, clock_timestamp()) = 'open'
                        AS is_open
                FROM zone z, meeting m
                JOIN series s ON s.id = m.series_id
                JOIN form f ON f.meeting_id = m.id
                JOIN form_state fs ON fs.form_id = f.id
                WHERE m.deleted_at IS NULL AND m.starts_at >= \(fragment: start.instant)
                    AND m.starts_at < \(fragment: end.instant) AND \(fragment: Access.isInListedSeries(for: principal))
            )
            SELECT c.date, count(*), count(*) FILTER (WHERE c.is_open), sum(c.attended)::bigint,
                sum(c.submissions)::bigint
            FROM (
                SELECT l.date, l.is_open, l.submissions, count(a.meeting_id) AS attended
                FROM listed l LEFT JOIN listed_attendee a ON a.meeting_id = l.id AND a.status IN ('present', 'late')
                GROUP BY l.id, l.date, l.is_open, l.submissions
            ) c
            GROUP BY 1 ORDER BY 1 LIMIT \(Self.maxDays + 2)
            """
    }
}
