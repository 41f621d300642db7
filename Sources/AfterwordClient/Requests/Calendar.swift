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
    /// The days that have meetings, from one local day until before another: `2026-11-01`, `2026-12-01`.
    ///
    /// - Parameter timeZone: in which a day begins; the account's own if it is nil, else UTC.
    public func calendar(from: String, to: String, timeZone: String? = nil) async throws -> [CalendarDay] {
        try await call(.getCalendar, query: ["from": from, "to": to, "timeZone": timeZone]).value(CalendarDays.self)
            .items
    }

    /// The same between two instants.
    public func calendar(from: Date, to: Date, timeZone: String? = nil) async throws -> [CalendarDay] {
        try await calendar(from: RFC3339.format(from), to: RFC3339.format(to), timeZone: timeZone)
    }
}
