import Domain
import Foundation
import StrictJSON
import Testing

@Suite struct CheckInWindows {
    private static func at(_ text: String) throws -> Date { try #require(RFC3339.parse(text)) }

    private static func window(_ start: String, _ end: String, lateAfter: Int = 0) throws -> CheckInWindow {
        CheckInWindow(startsAt: try at(start), endsAt: try at(end), lateAfterMinutes: lateAfter)
    }

    @Test func checkInOpensAnHourBeforeTheStartAndClosesAtTheEnd() throws {
        let window = try Self.window("2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z")
        #expect(window.state(at: try Self.at("2026-11-21T08:59:59.999Z")) == .early)
        #expect(window.state(at: try Self.at("2026-11-21T09:00:00Z")) == .open)
        #expect(window.state(at: try Self.at("2026-11-21T10:59:59.999Z")) == .open)
        #expect(window.state(at: try Self.at("2026-11-21T11:00:00Z")) == .over)
    }

    @Test func undatedMeetingIsAlwaysOpenAndNobodyIsLate() {
        let window = CheckInWindow(startsAt: nil, endsAt: nil, lateAfterMinutes: 0)
        for now in [Date.distantPast, Date.distantFuture] {
            #expect(window.state(at: now) == .open && window.status(at: now) == .present)
        }
    }

    @Test func lastMomentOfTheLimitIsOnTime() throws {
        for (limit, minute) in [(0, "10:00"), (5, "10:05"), (60, "11:00")] {
            let window = try Self.window("2026-11-21T10:00:00Z", "2026-11-21T12:00:00Z", lateAfter: limit)
            #expect(window.status(at: try Self.at("2026-11-21T\(minute):00Z")) == .present)
            #expect(window.status(at: try Self.at("2026-11-21T\(minute):00.001Z")) == .late)
        }
    }

    /// The start, the limit in minutes, a moment that is on time and one that is late, in local time.
    @Test(arguments: [
        // After midnight in Seoul.
        ("2026-11-21T23:50:00+09:00", 20, "2026-11-22T00:10:00+09:00", "2026-11-22T00:10:01+09:00"),
        // In Berlin clocks are set back from 3 to 2: 2:05 comes after 2:55.
        ("2026-10-25T02:50:00+02:00", 15, "2026-10-25T02:05:00+01:00", "2026-10-25T02:05:01+01:00"),
        ("2026-10-25T02:50:00+02:00", 15, "2026-10-25T02:55:00+02:00", "2026-10-25T02:06:00+01:00"),
        // In Berlin clocks are set forward from 2 to 3: 3:05 is ten minutes after 1:55.
        ("2026-03-29T01:55:00+01:00", 10, "2026-03-29T03:05:00+02:00", "2026-03-29T03:05:01+02:00"),
        // In São Paulo midnight itself was skipped.
        ("2018-11-03T23:55:00-03:00", 10, "2018-11-04T01:05:00-02:00", "2018-11-04T01:05:01-02:00"),
        // In São Paulo the hour before midnight was repeated.
        ("2019-02-16T23:50:00-02:00", 20, "2019-02-16T23:10:00-03:00", "2019-02-16T23:10:01-03:00"),
    ])
    func midnightAndDaylightSavingDoNotShiftLateness(
        start: String, limit: Int, onTime: String, late: String
    ) throws {
        let startsAt = try Self.at(start)
        let window = CheckInWindow(
            startsAt: startsAt, endsAt: startsAt.addingTimeInterval(7200), lateAfterMinutes: limit)
        #expect(window.status(at: try Self.at(onTime)) == .present)
        #expect(window.status(at: try Self.at(late)) == .late)
        #expect(window.state(at: try Self.at(late)) == .open)
    }
}
