import Contract
import Domain
import Foundation
import HTTPTypes
import Store
import StrictJSON

/// The days with meetings.
struct CalendarRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        [
            Route(
                .get, "/v1/calendar", access: .account(.readMeetings), query: ["from", "to", "timeZone"],
                handler: days)
        ]
    }

    private func days(_ request: APIRequest) async throws -> APIResponse {
        let (from, to, timeZone) = try request.query { reader in
            let from = reader.bound("from")
            let to = reader.bound("to")
            if let from, let to { Self.check(from, to, &reader) }
            return (from, to, reader.string("timeZone"))
        }
        guard let from, let to else { throw Problem(.validationFailed) }
        let days = try await store.calendar.days(
            from: from.bound, to: to.bound, timeZone: timeZone, for: request.requireCaller())
        return try .json(CalendarDays(items: days.map { Contract.CalendarDay($0) }))
    }

    /// Compares days by their midnight in UTC. If only one bound is a day, the time zone can add up to one day.
    private static func check(_ from: QueryReader.Bound, _ to: QueryReader.Bound, _ reader: inout QueryReader) {
        let days = to.instant.timeIntervalSince(from.instant) / 86_400
        let slackDays: Double = from.isDay == to.isDay ? 0 : 1
        if days <= -slackDays || (days <= 0 && slackDays == 0) {
            reader.refuse("to", "ends-before-start", "`to` must be later than `from`.")
        } else if days > Double(MeetingCalendar.maxDays) + slackDays {
            reader.refuse("to", "too-long", "At most \(MeetingCalendar.maxDays) days are shown at once.")
        }
    }
}

extension QueryReader {
    fileprivate struct Bound {
        var bound: MeetingCalendar.Bound
        /// Midnight in UTC for a day.
        var instant: Date
        var isDay: Bool
    }

    /// A required local day or instant.
    fileprivate mutating func bound(_ name: String) -> Bound? {
        guard let text = string(name) else {
            refuse(name, "required", "This is required.")
            return nil
        }
        // PostgreSQL has no year 0.
        if text.utf8.count == 10, !text.hasPrefix("0000"), let midnight = RFC3339.parse(text + "T00:00:00Z") {
            return Bound(bound: .day(text), instant: midnight, isDay: true)
        }
        return instant(name).map { Bound(bound: .instant($0), instant: $0, isDay: false) }
    }
}
