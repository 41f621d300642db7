import Contract
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Endpoint {
    static let getCalendar = Endpoint("GET", "/v1/calendar")

    static let calendar = [getCalendar]
}

extension Afterword.Host {
    /// The days with meetings, from one local day until before another, such as `2026-11-01` and `2026-12-01`.
    ///
    /// - Parameter timeZone: The time zone of the days. If nil, the account's own, otherwise UTC.
    public func calendar(from: String, to: String, timeZone: String? = nil) async throws -> [CalendarDay] {
        try await call(.getCalendar, query: ["from": from, "to": to, "timeZone": timeZone]).value(CalendarDays.self)
            .items
    }

    /// The days with meetings between two instants.
    public func calendar(from: Date, to: Date, timeZone: String? = nil) async throws -> [CalendarDay] {
        try await calendar(from: RFC3339.format(from), to: RFC3339.format(to), timeZone: timeZone)
    }
}
