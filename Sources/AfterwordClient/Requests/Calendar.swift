import Contract
import Foundation
import StrictJSON

extension Endpoint {
    static let getCalendar = Endpoint("GET", "/v1/calendar")

    static let calendar = [getCalendar]
}

extension Afterword.Host {
    /// The days with meetings in a period of local days.
    ///
    /// - Parameters:
    ///   - from: The first day, such as `2026-11-01`.
    ///   - to: The day after the last one, such as `2026-12-01`.
    ///   - timeZone: The time zone of the days. If nil, the time zone of the account, or UTC if the account has none.
    public func calendar(from: String, to: String, timeZone: String? = nil) async throws -> [CalendarDay] {
        try await call(.getCalendar, query: ["from": from, "to": to, "timeZone": timeZone]).value(CalendarDays.self)
            .items
    }

    /// The days with meetings between two instants.
    public func calendar(from: Date, to: Date, timeZone: String? = nil) async throws -> [CalendarDay] {
        try await calendar(from: RFC3339.format(from), to: RFC3339.format(to), timeZone: timeZone)
    }
}
