import Foundation
import Postgres

/// A stretch of the calendar as people name it; weeks begin on Monday.
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

    /// What its start is a whole number of, and its length.
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

    /// Its two ends, counted on the wall clock of the zone and only then made instants: a week with a change of the
    /// clocks has an hour more or less.
    fileprivate func statement(timeZone: String, now: Date?) -> Statement {
        """
        SELECT p.start AT TIME ZONE \(timeZone), (p.start + \(unit.length)::interval) AT TIME ZONE \(timeZone)
        FROM (SELECT date_trunc(\(unit.name), coalesce(\(now), clock_timestamp()) AT TIME ZONE \(timeZone))
            - CASE WHEN \(isPast) THEN \(unit.length)::interval ELSE '0' END AS start) p
        """
    }
}

extension Store {
    /// Throws a 422 for a zone that is none.
    public func requireTimeZone(_ name: String) async throws { try await meetings.zones.require(name) }

    /// The period as instants, half-open; throws a 422 for a zone that is none.
    ///
    /// - Parameter now: nil is the database's clock.
    public func span(of period: ExportPeriod, timeZone: String, now: Date? = nil) async throws -> Range<Date> {
        try await meetings.zones.require(timeZone)
        let row = try await pool.query(period.statement(timeZone: timeZone, now: now)).single()
        let (from, to) = try row.decode(Date.self, Date.self)
        return from..<to
    }

    /// The first instant of a calendar day such as `2026-11-21` in a zone; throws a 422 for a zone that is none.
    public func start(ofDay day: String, timeZone: String) async throws -> Date {
        try await meetings.zones.require(timeZone)
        return try await pool.query("SELECT \(day)::date::timestamp AT TIME ZONE \(timeZone)").single()
            .decode(Date.self)
    }
}
