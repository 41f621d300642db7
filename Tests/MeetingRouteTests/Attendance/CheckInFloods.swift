import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// A client that knows the check-in code adds a large number of invented people.
@Suite(.timeLimit(.minutes(15))) struct CheckInFloods {
    private static func setHeadcount(_ headcount: Int?, for meeting: TestMeeting, _ service: TestService) async throws {
        try await service.sql(
            "UPDATE meeting SET headcount = \(headcount) WHERE id = \(UUID(uuidString: meeting.id))")
    }

    /// Counts the responses to concurrent check-ins of strangers, by status and problem.
    private static func flood(
        _ path: String, _ numbers: Range<Int>, _ service: TestService
    ) async throws -> [String: Int] {
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in numbers {
                group.addTask {
                    let response = try await service.anyone.checkIn(path, "Nobody", "nobody\(number)@example.com")
                    return response.status == 201 ? "201" : "\(response.status) \(response.problem ?? "")"
                }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    /// Adds people who checked in with the code, `seconds` seconds ago.
    private static func fill(
        _ meeting: TestMeeting, _ count: Int, _ service: TestService, secondsAgo seconds: Int = 0
    ) async throws {
        try await service.sql(
            """
            INSERT INTO attendee (id, meeting_id, name, email, status, checked_in_at, walk_in)
            SELECT gen_random_uuid(), \(UUID(uuidString: meeting.id)), 'Nobody', 'filled' || n || '@example.com',
                'present', now() - make_interval(secs => \(seconds)), true
            FROM generate_series(1, \(count)) n
            """)
    }

    private static func time(secondsAgo: Double) -> String {
        RFC3339.format(Date(timeIntervalSinceNow: -secondsAgo))
    }

    @Test func strangersAreCappedAndListedPeopleAreNot() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            try await Self.setHeadcount(7, for: meeting, service)
            try await meeting.add("Bea Listed", "bea@example.org").expect(201)
            let outcomes = try await Self.flood(path, 0..<540, service)
            #expect(outcomes == ["201": 500, "409 check-in-full": 40])
            #expect(try await service.anyone.checkIn(path, "Bea", "bea@example.org").status == 201)
            // People who are already on the list get the first response again.
            let again = try await Self.flood(path, 0..<540, service)
            #expect(again == ["200 ": 500, "409 check-in-full": 40])
            #expect(try await service.count("SELECT count(*) FROM attendee") == 501)
            #expect(
                try await service.count("SELECT count(*) FROM person") == 501, "refused people leave no personal code")
            try await Self.setHeadcount(200, for: meeting, service)
            #expect(try await Self.flood(path, 600..<710, service) == ["201": 100, "409 check-in-full": 10])
        }
    }

    @Test func meetingWithoutAHeadcountAdmitsTenThousandStrangers() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            try await Self.fill(meeting, 9_990, service)
            #expect(try await Self.flood(path, 0..<40, service) == ["201": 10, "409 check-in-full": 30])
        }
    }

    @Test func refusedCheckInsSendNoEvent() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            try await Self.setHeadcount(0, for: meeting, service)
            try await Self.fill(meeting, 498, service)
            try await service.host.post(
                "/v1/webhooks", json: #"{"url": "https://8.8.8.8/hook", "events": ["attendee.checked-in"]}"#
            ).expect(201)
            #expect(try await Self.flood(path, 0..<30, service) == ["201": 2, "409 check-in-full": 28])
            #expect(try await service.count("SELECT count(*) FROM webhook_delivery") == 2)
        }
    }

    @Test func walkInsOfATimeWindowAreCountedAndRemoved() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = try await meeting.checkInPath()
            try await meeting.add("Bea Listed", "bea@example.org").expect(201)
            try await meeting.add("Marked", status: "present").expect(201)
            try await service.anyone.checkIn(path, "Bea", "bea@example.org").expect(201)
            try await service.anyone.checkIn(path, "Vera", "vera@example.org").expect(201)
            let vera = try await meeting.attendees().first { $0["name"]?.string == "Vera" }?["id"]?.string
            try await meeting.patch(#require(vera), #"{"name": "Vera V."}"#).expect(200)
            try await Self.fill(meeting, 300, service, secondsAgo: 600)
            try await service.anyone.checkIn(path, "Late", "late@example.org").expect(201)
            let walkIns = "\(meeting.path)/walk-ins"
            let all = try await service.host.get(walkIns).expect(200)
            #expect(all.json?["count"] == JSONValue(301) && all.json?["limit"] == JSONValue(10_000))
            let window = "?from=\(Self.time(secondsAgo: 700))&to=\(Self.time(secondsAgo: 500))"
            let part = try await service.host.get(walkIns + window).expect(200)
            #expect(part.json?["count"] == JSONValue(300))
            #expect(try await service.host.delete(walkIns + window).expect(200).text == #"{"removed":300}"#)
            #expect(try await service.host.delete(walkIns + window).expect(200).text == #"{"removed":0}"#)
            let names = try await meeting.attendees().compactMap { $0["name"]?.string }.sorted()
            #expect(names == ["Bea Listed", "Late", "Marked", "Vera V."])
            let removedCounts = try await service.fixture.store.pool.query(
                "SELECT detail->>'removed' FROM audit WHERE act = 'attendee.remove-walk-ins'"
            ).map { row -> String in try row.decode(String.self) }
            #expect(removedCounts == ["300"])
        }
    }

    @Test func peopleOnTheRosterAreNotRemovedWithAFlood() async throws {
        try await TestService.run { service in
            let start = Date(timeIntervalSinceNow: -600)
            let times = [("startsAt", start), ("endsAt", start.addingTimeInterval(7200))]
                .map { "\"\($0)\": \"\(RFC3339.format($1))\"" }.joined(separator: ", ")
            let created = try await service.host.post(
                "/v1/meetings", json: "{\"title\": \"M\", \"timeZone\": \"UTC\", \(times)}"
            ).expect(201)
            let meeting = try TestMeeting(created: created, host: service.host, anyone: service.anyone)
            let path = try await meeting.checkInPath()
            for name in ["ann", "bob"] {
                try await service.anyone.checkIn(path, name, "\(name)@example.org").expect(201)
            }
            let ann = #"{"name": "Ann", "email": "Ann@example.org"}"#
            try await service.host.post("/v1/series/\(meeting.seriesID)/members", json: ann).expect(201)
            let window = "?from=\(Self.time(secondsAgo: 700))&to=\(Self.time(secondsAgo: -60))"
            let removed = try await service.host.delete("\(meeting.path)/walk-ins" + window).expect(200)
            #expect(removed.text == #"{"removed":1}"#)
            #expect(try await meeting.attendees().compactMap { $0["name"]?.string } == ["ann"])
        }
    }

    /// A removed person who could answer through a personal link remains as a hidden row, as if removed individually.
    @Test func removedPeopleWhoReturnCannotAnswerAgain() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "attendee""#)
            let path = try await meeting.checkInPath()
            try await service.anyone.checkIn(path, "Ann", "ann@example.org").expect(201)
            let id = try #require(try await meeting.attendees().first?["id"]?.string)
            let token = try await service.host.post("\(meeting.attendeesPath)/\(id)/link").expect(200).string("token")
            try await meeting.submit(#"{"pace": 4}"#, respondent: token).expect(201)
            let window = "?from=\(Self.time(secondsAgo: 60))&to=\(Self.time(secondsAgo: -60))"
            #expect(
                try await service.host.delete("\(meeting.path)/walk-ins\(window)").expect(200).text
                    == #"{"removed":1}"#)
            #expect(try await meeting.attendees().isEmpty)
            #expect(try await meeting.submit(#"{"pace": 4}"#, respondent: token).status == 401)
            try await service.anyone.checkIn(path, "Ann", "ann@example.org").expect(201)
            #expect(try await service.host.get("\(meeting.path)/walk-ins").json?["count"] == JSONValue(1))
            #expect(try await meeting.submit(#"{"pace": 5}"#, respondent: token).problem == "already-submitted")
        }
    }

    @Test func invalidWindowsAndOtherCallersAreRefused() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await Self.fill(meeting, 3, service)
            let walkIns = "\(meeting.path)/walk-ins"
            let (from, to) = (Self.time(secondsAgo: 60), Self.time(secondsAgo: -60))
            for (query, faults) in [
                ("", ["?from required", "?to required"]), ("?from=\(from)", ["?to required"]),
                ("?from=\(to)&to=\(from)", ["?to ends-before-start"]),
                ("?from=\(from)&to=\(from)", ["?to ends-before-start"]),
                ("?from=yesterday&to=\(to)", ["?from invalid-time"]),
                ("?from=\(from)&to=\(to)&status=present", ["?status unknown-parameter"]),
            ] {
                let response = try await service.host.delete(walkIns + query)
                #expect(response.status == 422 && response.faults == faults, "\(query): \(response.text)")
            }
            #expect(try await service.host.get(walkIns + "?from=\(to)&to=\(from)").status == 422)
            let window = "?from=\(from)&to=\(to)"
            #expect(try await service.anyone.delete(walkIns + window).status == 401)
            #expect(try await service.other.delete(walkIns + window).status == 404)
            #expect(try await service.other.get(walkIns).status == 404)
            try await service.host.post(
                "/v1/series/\(meeting.seriesID)/hosts", json: #"{"email": "other@example.org", "role": "viewer"}"#
            ).expect(201)
            #expect(try await service.other.delete(walkIns + window).status == 403)
            #expect(try await service.other.get(walkIns).status == 403)
            #expect(try await meeting.attendees().count == 3)
        }
    }
}
