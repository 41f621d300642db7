import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Rounds on a weekday of the month, such as the second Tuesday.
@Suite(.timeLimit(.minutes(15))) struct RoundsByWeekday {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var zone: String
        var every: String
        var day: String
        /// The starts of all rounds in UTC, to the minute.
        var starts: [String]

        init(_ description: String, _ zone: String, every: String, day: String, _ starts: [String]) {
            (testDescription, self.zone, self.every, self.day, self.starts) = (description, zone, every, day, starts)
        }
    }

    /// Computed by dateutil 2.9's `rrule`, which implements RFC 5545: `FREQ=MONTHLY;INTERVAL=1;BYDAY=2TU;COUNT=12`. A
    /// month without the day is skipped and not counted (section 3.3.10). A local time that does not exist gets the
    /// offset from before the gap (section 3.3.5).
    private static let cases = [
        Case(
            "second Tuesday, both clock changes", "Europe/Berlin", every: "P1M", day: "weekday",
            [
                "2027-01-12T17:00Z", "2027-02-09T17:00Z", "2027-03-09T17:00Z", "2027-04-13T16:00Z", "2027-05-11T16:00Z",
                "2027-06-08T16:00Z", "2027-07-13T16:00Z", "2027-08-10T16:00Z", "2027-09-14T16:00Z", "2027-10-12T16:00Z",
                "2027-11-09T17:00Z", "2027-12-14T17:00Z",
            ]),
        Case(
            "last Friday", "America/New_York", every: "P1M", day: "lastWeekday",
            [
                "2027-01-29T14:00Z", "2027-02-26T14:00Z", "2027-03-26T13:00Z", "2027-04-30T13:00Z", "2027-05-28T13:00Z",
                "2027-06-25T13:00Z", "2027-07-30T13:00Z", "2027-08-27T13:00Z", "2027-09-24T13:00Z", "2027-10-29T13:00Z",
                "2027-11-26T14:00Z", "2027-12-31T14:00Z",
            ]),
        Case(
            "fifth Friday, which most months lack", "Europe/Berlin", every: "P1M", day: "weekday",
            [
                "2027-01-29T08:00Z", "2027-04-30T07:00Z", "2027-07-30T07:00Z", "2027-10-29T07:00Z", "2027-12-31T08:00Z",
                "2028-03-31T07:00Z",
            ]),
        Case(
            "every second month", "America/New_York", every: "P2M", day: "weekday",
            [
                "2027-01-12T23:00Z", "2027-03-09T23:00Z", "2027-05-11T22:00Z", "2027-07-13T22:00Z", "2027-09-14T22:00Z",
            ]),
        Case(
            "fifth Monday of every third month", "UTC", every: "P3M", day: "weekday",
            [
                "2027-03-29T12:00Z", "2029-12-31T12:00Z", "2030-09-30T12:00Z", "2030-12-30T12:00Z",
            ]),
        Case(
            "fifth Tuesday of February, in leap years only", "UTC", every: "P12M", day: "weekday",
            [
                "2028-02-29T10:00Z", "2056-02-29T10:00Z", "2084-02-29T10:00Z",
            ]),
        Case(
            "last Sunday at 02:30, which the clock skips in March", "Europe/Berlin", every: "P1M", day: "lastWeekday",
            [
                "2027-02-28T01:30Z", "2027-03-28T01:30Z", "2027-04-25T00:30Z", "2027-05-30T00:30Z",
            ]),
        Case(
            "first Monday, still Sunday in UTC", "Asia/Seoul", every: "P1M", day: "weekday",
            [
                "2027-02-28T23:00Z", "2027-04-04T23:00Z", "2027-05-02T23:00Z", "2027-06-06T23:00Z", "2027-07-04T23:00Z",
                "2027-08-01T23:00Z",
            ]),
        Case(
            "first Sunday, south of the equator", "Australia/Sydney", every: "P1M", day: "weekday",
            [
                "2027-03-06T22:00Z", "2027-04-03T23:00Z", "2027-05-01T23:00Z", "2027-06-05T23:00Z", "2027-07-03T23:00Z",
                "2027-07-31T23:00Z", "2027-09-04T23:00Z", "2027-10-02T22:00Z", "2027-11-06T22:00Z",
            ]),
        Case(
            "last weekday of a year's months", "UTC", every: "P12M", day: "lastWeekday",
            [
                "2027-03-31T09:00Z", "2028-03-29T09:00Z", "2029-03-28T09:00Z", "2030-03-27T09:00Z",
            ]),
    ]

    private static func create(
        _ start: String, _ zone: String, repetition: String, _ service: TestService
    ) async throws -> HTTPTestClient.Response {
        let startsAt = try #require(ISO8601DateFormatter().date(from: String(start.dropLast()) + ":00Z"))
        let end = ISO8601DateFormatter().string(from: startsAt.addingTimeInterval(1200))
        return try await service.host.post(
            "/v1/meetings",
            json: """
                {"title": "T", "startsAt": "\(start.dropLast()):00Z", "endsAt": "\(end)", "timeZone": "\(zone)",
                 "repeat": \(repetition)}
                """)
    }

    /// The starts and lengths of all rounds, as stored.
    private static func stored(_ service: TestService) async throws -> [(start: String, minutes: Int)] {
        try await service.fixture.store.pool.query(
            """
            SELECT to_char(starts_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'),
                (extract(epoch FROM ends_at - starts_at) / 60)::int
            FROM meeting WHERE starts_at IS NOT NULL ORDER BY round
            """
        ).map { row in
            let (start, minutes) = try row.decode(String.self, Int.self)
            return (start, minutes)
        }
    }

    @Test(arguments: cases) func roundsAreOnTheWeekday(testCase: Case) async throws {
        try await TestService.run { service in
            let repetition =
                #"{"every": "\#(testCase.every)", "count": \#(testCase.starts.count), "day": "\#(testCase.day)"}"#
            try await Self.create(testCase.starts[0], testCase.zone, repetition: repetition, service).expect(201)
            let stored = try await Self.stored(service)
            #expect(stored.map(\.start) == testCase.starts)
            #expect(stored.allSatisfy { $0.minutes == 20 })
        }
    }

    @Test func nextRoundsOfASeriesAreOnTheWeekday() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await service.host.post(
                "/v1/series/\(meeting.seriesID)/meetings",
                json: """
                    {"startsAt": "2027-01-29T09:00:00Z", "endsAt": "2027-01-29T10:00:00Z", "timeZone": "UTC",
                     "repeat": {"every": "P1M", "count": 3, "day": "lastWeekday"}}
                    """
            ).expect(201)
            let starts = try await Self.stored(service).map(\.start).filter { $0.hasPrefix("2027") }
            #expect(starts == ["2027-01-29T09:00Z", "2027-02-26T09:00Z", "2027-03-26T09:00Z"])
        }
    }

    /// The first round is at its own time, even if that is not the last Friday of its month.
    @Test func firstRoundStaysAtItsOwnTime() async throws {
        try await TestService.run { service in
            let repetition = #"{"every": "P1M", "count": 3, "day": "lastWeekday"}"#
            try await Self.create("2027-01-22T09:00Z", "UTC", repetition: repetition, service).expect(201)
            let starts = try await Self.stored(service).map(\.start)
            #expect(starts == ["2027-01-22T09:00Z", "2027-02-26T09:00Z", "2027-03-26T09:00Z"])
        }
    }

    @Test(arguments: [
        (#"{"every": "P7D", "count": 3, "day": "weekday"}"#, ["/repeat/day needs-months"]),
        (#"{"every": "P2W", "count": 3, "day": "lastWeekday"}"#, ["/repeat/day needs-months"]),
        (#"{"every": "P1M", "count": 3, "day": "friday"}"#, ["/repeat/day unknown-value"]),
        (#"{"every": "P0M", "count": 3, "day": "weekday"}"#, ["/repeat/every invalid-period"]),
        // The fifth Tuesday of February comes every 28 years.
        (#"{"every": "P1Y", "count": 5, "day": "weekday"}"#, ["/repeat too-far"]),
        (#"{"every": "P9999M", "count": 2, "day": "weekday"}"#, ["/repeat too-far"]),
    ])
    func impossibleRepetitionsAreRefused(repetition: String, faults: [String]) async throws {
        try await TestService.run { service in
            let response = try await Self.create("2028-02-29T10:00Z", "UTC", repetition: repetition, service)
            #expect([400, 422].contains(response.status) && response.faults == faults, "\(response.text)")
            #expect(try await Self.stored(service).isEmpty)
        }
    }

    @Test func dayOfTheMonthIsTheDefault() async throws {
        try await TestService.run { service in
            let repetition = #"{"every": "P1M", "count": 2, "day": "date"}"#
            try await Self.create("2027-01-31T10:00Z", "UTC", repetition: repetition, service).expect(201)
            #expect(try await Self.stored(service).map(\.start) == ["2027-01-31T10:00Z", "2027-02-28T10:00Z"])
        }
    }
}
