import Foundation
import Postgres

/// A named calendar period; weeks begin on Monday.
public enum ExportPeriod: String, Sendable, CaseIterable {
    case today
    case yesterday
    case thisWeek = "this-week"
    case lastWeek = "last-week"
    case thisMonth = "this-month"
    case lastMonth = "last-month"
    case thisQuarter = "this-quarter"
    case lastQuarter = "last-quarter"
    case thisYear = "this-year"
    case lastYear = "last-year"

    /// The unit to which the start is truncated, and the length of the period.
    private var unit: (name: String, length: String) {
        switch self {
        case .today, .yesterday: ("day", "1 day")
        case .thisWeek, .lastWeek: ("week", "1 week")
        case .thisMonth, .lastMonth: ("month", "1 month")
        case .thisQuarter, .lastQuarter: ("quarter", "3 months")
        case .thisYear, .lastYear: ("year", "1 year")
        }
    }

    private var isPast: Bool {
        switch self {
        case .yesterday, .lastWeek, .lastMonth, .lastQuarter, .lastYear: true
        case .today, .thisWeek, .thisMonth, .thisQuarter, .thisYear: false
        }
    }

    /// Selects the start and the end. They are computed as local times and then converted to instants, because a week
    /// with a clock change is an hour longer or shorter than others.
    fileprivate func statement(timeZone: String, now: Date?) -> Statement {
        """
        SELECT p.start AT TIME ZONE \(timeZone), (p.start + \(unit.length)::interval) AT TIME ZONE \(timeZone)
        FROM (SELECT date_trunc(\(unit.name), coalesce(\(now), clock_timestamp()) AT TIME ZONE \(timeZone))
            - CASE WHEN \(isPast) THEN \(unit.length)::interval ELSE '0' END AS start) p
        """
    }
}

extension Store {
    /// Throws 422 for an unknown zone.
    public func requireTimeZone(_ name: String) async throws { try await meetings.zones.require(name) }

    /// Returns the period as a half-open range of instants. Throws 422 for an unknown zone.
    ///
    /// - Parameter now: The current time. If nil, the database's clock is used.
    public func span(of period: ExportPeriod, timeZone: String, now: Date? = nil) async throws -> Range<Date> {
        try await meetings.zones.require(timeZone)
        let row = try await pool.query(period.statement(timeZone: timeZone, now: now)).single()
        let (from, to) = try row.decode(Date.self, Date.self)
        return from..<to
    }

    /// Returns the first instant of a calendar day such as `2026-11-21` in a zone; throws 422 for an unknown zone.
    public func start(ofDay day: String, timeZone: String) async throws -> Date {
        try await meetings.zones.require(timeZone)
        return try await pool.query("SELECT \(day)::date::timestamp AT TIME ZONE \(timeZone)").single()
            .decode(Date.self)
    }
}
