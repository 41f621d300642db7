import Domain
import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

@Suite struct CalendarPeriods {
    /// A period, its time zone, the current time, and the expected start and end. In 2026, clocks change in Zurich on
    /// 29 March and 25 October, and in New York on 8 March.
    private static let cases: [(ExportPeriod, String, String, String, String)] = [
        (.lastWeek, "Europe/Zurich", "2026-03-30T12:00:00Z", "2026-03-22T23:00:00Z", "2026-03-29T22:00:00Z"),
        (.thisWeek, "Europe/Zurich", "2026-10-25T23:30:00Z", "2026-10-25T23:00:00Z", "2026-11-01T23:00:00Z"),
        (.lastWeek, "UTC", "2026-11-21T09:30:00Z", "2026-11-09T00:00:00Z", "2026-11-16T00:00:00Z"),
        (.yesterday, "America/New_York", "2026-03-09T04:30:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
        (.today, "Asia/Seoul", "2026-11-20T15:00:00Z", "2026-11-20T15:00:00Z", "2026-11-21T15:00:00Z"),
        (.lastMonth, "Europe/Zurich", "2026-03-31T22:00:00Z", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"),
        (.thisMonth, "Europe/Zurich", "2026-03-31T21:59:59Z", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"),
        (.lastQuarter, "UTC", "2026-02-15T00:00:00Z", "2025-10-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        (.thisQuarter, "UTC", "2026-02-15T00:00:00Z", "2026-01-01T00:00:00Z", "2026-04-01T00:00:00Z"),
        (.lastYear, "UTC", "2025-06-01T00:00:00Z", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
        (.thisYear, "Pacific/Auckland", "2025-12-31T11:00:00Z", "2025-12-31T11:00:00Z", "2026-12-31T11:00:00Z"),
    ]

    @Test func periodsAreComputedInLocalTime() async throws {
        try await TestStore.run { fixture in
            for (period, zone, now, from, to) in Self.cases {
                let span = try await fixture.store.span(of: period, timeZone: zone, now: RFC3339.parse(now))
                #expect(RFC3339.format(span.lowerBound) == from, "\(period) in \(zone)")
                #expect(RFC3339.format(span.upperBound) == to, "\(period) in \(zone)")
            }
        }
    }

    @Test func daysBeginAtLocalMidnight() async throws {
        try await TestStore.run { fixture in
            let start = try await fixture.store.start(ofDay: "2026-03-30", timeZone: "Europe/Zurich")
            #expect(RFC3339.format(start) == "2026-03-29T22:00:00Z")
            let today = try await fixture.store.span(of: .today, timeZone: "UTC")
            #expect(today.upperBound.timeIntervalSince(today.lowerBound) == 86_400)
        }
    }

    @Test func unknownZoneIsRefused() async throws {
        try await TestStore.run { fixture in
            for zone in ["Middle/Earth", "CEST-2", ""] {
                let found = try await problem { _ = try await fixture.store.span(of: .today, timeZone: zone) }
                #expect(found?.faults.map(\.code) == ["unknown-time-zone"])
            }
        }
    }
}
