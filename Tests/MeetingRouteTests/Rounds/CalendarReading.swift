import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct CalendarReading {
    private static func make(
        _ start: String, _ service: TestService, minutes: Double = 30, by owner: HTTPTestClient? = nil
    ) async throws -> TestMeeting {
        let begin = try #require(RFC3339.parse(start))
        return try await service.meeting(
            members: """
                "startsAt": "\(start)", "endsAt": "\(RFC3339.format(begin.addingTimeInterval(minutes * 60)))",
                "timeZone": "UTC"
                """, by: owner)
    }

    /// Each day as its date and its number of meetings.
    private static func days(_ query: String, _ client: HTTPTestClient) async throws -> [String] {
        let items = try await client.get("/v1/calendar?\(query)").expect(200).json?["items"]?.array ?? []
        return items.map { "\($0["date"]?.string ?? "") \($0["meetings"]?.int ?? -1)" }
    }

    @Test func dayCountsItsMeetings() async throws {
        try await TestService.run { service in
            let first = try await Self.make("2027-11-21T09:00:00Z", service)
            let second = try await Self.make("2027-11-21T11:00:00Z", service)
            let third = try await Self.make("2027-11-23T11:00:00Z", service)
            _ = try await service.openMeeting()
            let trashed = try await Self.make("2027-11-21T15:00:00Z", service)
            try await service.host.delete(trashed.path).expect(204)
            for meeting in [first, second, third] { try await meeting.perform("publish").expect(200) }
            for meeting in [first, first, second] { try await meeting.submit(#"{"pace": 3}"#).expect(201) }
            try await second.perform("close").expect(200)
            for (meeting, status) in [(first, "present"), (first, "late"), (first, "expected"), (third, "present")] {
                let id = try #require(UUID(uuidString: meeting.id))
                try await service.sql(
                    """
                    INSERT INTO attendee (id, meeting_id, name, status)
                    VALUES (gen_random_uuid(), \(id), 'Ann', \(status))
                    """)
            }
            let response = try await service.host.get("/v1/calendar?from=2027-11-01&to=2027-12-01").expect(200)
            #expect(
                response.text == """
                    {"items":[{"date":"2027-11-21","meetings":2,"formsOpen":1,"attended":2,"submissions":3},\
                    {"date":"2027-11-23","meetings":1,"formsOpen":1,"attended":1,"submissions":0}]}
                    """)
            #expect(try await Self.days("from=2027-11-01&to=2027-12-01", service.other) == [])
            #expect(
                try await Self.days("from=2027-11-01&to=2027-12-01", service.admin) == ["2027-11-21 2", "2027-11-23 1"])
            #expect(try await Self.days("from=2027-11-21&to=2027-11-23", service.host) == ["2027-11-21 2"])
            #expect(
                try await Self.days("from=2027-11-21T09:00:01Z&to=2027-11-23T11:00:01Z", service.host)
                    == ["2027-11-21 1", "2027-11-23 1"])
        }
    }

    /// 2027-11-21T23:30 in UTC is the next day in Berlin and Seoul, and still the same day in São Paulo.
    @Test(arguments: [
        ("UTC", ["2027-11-21 2"]), ("Europe/Berlin", ["2027-11-21 1", "2027-11-22 1"]),
        ("Asia/Seoul", ["2027-11-21 1", "2027-11-22 1"]), ("America/Sao_Paulo", ["2027-11-20 1", "2027-11-21 1"]),
    ])
    func dayDependsOnTheTimeZone(zone: String, expected: [String]) async throws {
        try await TestService.run { service in
            _ = try await Self.make("2027-11-21T02:30:00Z", service)
            _ = try await Self.make("2027-11-21T23:30:00Z", service)
            #expect(
                try await Self.days("from=2027-11-01&to=2027-12-01&timeZone=\(zone)", service.host) == expected)
        }
    }

    /// The day on which summer time begins has 23 hours, and the day on which it ends has 25.
    @Test func dayBeginsAndEndsAtLocalMidnight() async throws {
        try await TestService.run { service in
            for start in [
                "2027-03-27T22:59:00Z", "2027-03-27T23:30:00Z", "2027-03-28T21:30:00Z", "2027-03-28T22:00:00Z",
                "2027-10-30T21:29:00Z", "2027-10-30T22:00:00Z", "2027-10-31T22:59:00Z", "2027-10-31T23:30:00Z",
            ] { _ = try await Self.make(start, service, minutes: 1) }
            let zone = "timeZone=Europe/Berlin"
            #expect(try await Self.days("from=2027-03-28&to=2027-03-29&\(zone)", service.host) == ["2027-03-28 2"])
            #expect(try await Self.days("from=2027-10-31&to=2027-11-01&\(zone)", service.host) == ["2027-10-31 2"])
            #expect(
                try await Self.days("from=2027-01-01&to=2028-01-01&\(zone)", service.host) == [
                    "2027-03-27 1", "2027-03-28 2", "2027-03-29 1", "2027-10-30 1", "2027-10-31 2", "2027-11-01 1",
                ])
        }
    }

    @Test func timeZoneDefaultsToThatOfTheAccount() async throws {
        try await TestService.run { service in
            _ = try await Self.make("2027-11-21T23:30:00Z", service)
            #expect(try await Self.days("from=2027-11-01&to=2027-12-01", service.host) == ["2027-11-21 1"])
            try await service.sql("UPDATE account SET time_zone = 'Asia/Seoul' WHERE email = 'host@example.org'")
            #expect(try await Self.days("from=2027-11-01&to=2027-12-01", service.host) == ["2027-11-22 1"])
        }
    }

    @Test(arguments: [
        ("", ["?from required", "?to required"]), ("from=2027-11-01", ["?to required"]),
        ("from=2027-11-02&to=2027-11-02", ["?to ends-before-start"]),
        ("from=2027-11-02&to=2027-11-01", ["?to ends-before-start"]),
        ("from=2027-01-01&to=2028-01-03", ["?to too-long"]),
        ("from=0000-01-01&to=2027-02-30", ["?from invalid-time", "?to invalid-time"]),
        ("from=2027-11-01&to=2027-12-01&timeZone=Mars/Olympus", ["?timeZone unknown-time-zone"]),
        ("from=2027-11-01&to=2027-12-01&timeZone=", ["?timeZone unknown-time-zone"]),
    ])
    func invalidPeriodOrTimeZoneIsRefused(query: String, faults: [String]) async throws {
        try await TestService.run { service in
            let response = try await service.host.get("/v1/calendar?\(query)")
            #expect(response.status == 422 && response.faults == faults, "\(response.text)")
            #expect(try await service.host.get("/v1/calendar?from=2028-01-01&to=2029-01-01").status == 200)
        }
    }
}
