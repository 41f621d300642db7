import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct PeopleOverRounds {
    private static let email = "ann@example.org"

    /// A round that starts at `start` and lasts an hour, or has no times if `start` is nil.
    ///
    /// - Parameter first: the first round of the series to which the new round belongs, or nil for a new series.
    private static func round(
        _ number: Int, of first: TestMeeting?, at start: String?, zone: String = "UTC", settings: String? = nil,
        in service: TestService
    ) async throws -> TestMeeting {
        let meeting = try await service.openMeeting(settings: settings)
        if let start {
            let at = try #require(RFC3339.parse(start))
            try await service.sql(
                """
                UPDATE meeting SET starts_at = \(at), ends_at = \(at) + interval '1 hour', time_zone = \(zone)
                WHERE id = \(UUID(uuidString: meeting.id))
                """)
        }
        guard let first else { return meeting }
        try await service.sql(
            """
            UPDATE meeting SET series_id = \(UUID(uuidString: first.seriesID)), round = \(number)
            WHERE id = \(UUID(uuidString: meeting.id))
            """)
        return meeting
    }

    private static func find(
        _ email: String, in meeting: TestMeeting, by client: HTTPTestClient
    ) async throws -> HTTPTestClient.Response {
        try await client.get("/v1/series/\(meeting.seriesID)/attendees?email=\(email)")
    }

    private static func strings(_ value: JSONValue?) -> [String?] { (value?.array ?? []).map(\.string) }

    @Test func totalsStreaksAndDaysAreExact() async throws {
        try await TestService.run { service in
            let first = try await Self.round(
                1, of: nil, at: "2020-01-05T23:30:00Z", zone: "Europe/Berlin", in: service)
            try await first.add("Ann", Self.email, status: "present").expect(201)
            // The second and the third round are on the same local day.
            let second = try await Self.round(
                2, of: first, at: "2020-01-06T16:00:00Z", zone: "Asia/Seoul", in: service)
            try await second.add("Ann", Self.email, status: "late").expect(201)
            let third = try await Self.round(
                3, of: first, at: "2020-01-08T01:00:00Z", zone: "America/Sao_Paulo", in: service)
            try await third.add("Ann", Self.email, status: "present").expect(201)
            let fourth = try await Self.round(4, of: first, at: "2020-01-09T10:00:00Z", in: service)
            try await fourth.add("Ann", Self.email).expect(201)
            _ = try await Self.round(5, of: first, at: "2020-01-10T10:00:00Z", in: service)
            // The name differs here. The address identifies the person.
            let sixth = try await Self.round(6, of: first, at: "2020-01-12T10:00:00Z", in: service)
            try await sixth.add("Anna", Self.email, status: "present").expect(201)
            let trashed = try await Self.round(7, of: first, at: "2020-01-13T10:00:00Z", in: service)
            try await trashed.add("Ann", Self.email, status: "late").expect(201)
            try await service.host.delete(trashed.path).expect(204)
            // A running or future round does not end a streak.
            let running = try await Self.round(8, of: first, at: nil, in: service)
            try await service.move(running, from: -5, to: 5)
            let future = try await Self.round(9, of: first, at: nil, in: service)
            try await service.move(future, from: 50, to: 55)
            for meeting in [running, future] { try await meeting.add("Ann", Self.email).expect(201) }
            // An undated round counts only for the people who were present.
            let undated = try await Self.round(10, of: first, at: nil, in: service)
            try await undated.add("Ann", Self.email, status: "present").expect(201)
            let missed = try await Self.round(11, of: first, at: nil, in: service)
            try await missed.add("Ann", Self.email).expect(201)

            let person = try await Self.find("ANN@example.org", in: first, by: service.host).expect(200)
            let counts = [
                "rounds", "present", "late", "absent", "attended", "answered", "currentStreak", "longestStreak",
            ].map { person.json?[$0] }
            #expect(counts == [7, 4, 1, 1, 5, 0, 2, 3].map { JSONValue($0) })
            let history = try #require(person.json?["history"]?.array)
            #expect(history.map { $0["round"] } == [10, 6, 5, 4, 3, 2, 1].map { JSONValue($0) })
            #expect(
                Self.strings(.array(history.map { $0["status"] ?? .null })) == [
                    "present", "present", nil, "absent", "present", "late", "present",
                ])
            let days = Self.strings(person.json?["daysAttended"])
            #expect(days.prefix(3) == ["2020-01-06", "2020-01-07", "2020-01-12"] && days.count == 4)
        }
    }

    @Test func personalCodeShowsTheSameAttendanceWithoutAddresses() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let code = try await meeting.add("Ann", Self.email, status: "present").expect(201).string("code")
            try await meeting.add("Bea", "bea@example.org", status: "present").expect(201)
            let byCode = try await service.anyone.get("/v1/people/\(code)").expect(200)
            let byAddress = try await Self.find(Self.email, in: meeting, by: service.host).expect(200)
            for name in ["name", "series", "rounds", "present", "attended", "currentStreak", "daysAttended"] {
                #expect(byCode.json?[name] == byAddress.json?[name])
            }
            #expect(try byAddress.string("email") == Self.email && byAddress.string("code") == code)
            #expect(!byCode.text.contains("@") && !byCode.text.contains(code) && !byCode.text.contains("Bea"))
            #expect(!byAddress.text.contains("bea@") && !byAddress.text.contains("Bea"))
            let tag = try #require(byCode["ETag"])
            let current = try await service.anyone.get("/v1/people/\(code)", headers: ["If-None-Match": tag])
            #expect(current.status == 304 && byAddress["ETag"] != nil)
            for response in [byCode, byAddress, current] { #expect(response["Cache-Control"] == "no-store") }
        }
    }

    @Test func onlyAnswersThroughPersonalLinksAreCounted() async throws {
        try await TestService.run { service in
            let personal = #""identity": "attendee""#
            var rounds: [TestMeeting] = []
            for (index, settings) in [personal, personal, personal, personal + #", "anonymous": true"#, nil]
                .enumerated()
            {
                let start = "2020-02-0\(index + 1)T10:00:00Z"
                let meeting = try await Self.round(
                    index + 1, of: rounds.first, at: start, settings: settings, in: service)
                let id = try await meeting.add("Ann", Self.email, status: "present").expect(201).string("id")
                rounds.append(meeting)
                guard settings != nil, index != 1 else { continue }
                let link = try await service.host.post("\(meeting.attendeesPath)/\(id)/link").expect(200)
                let sent = try await meeting.submit(#"{"pace": 3}"#, respondent: link.string("token")).expect(201)
                guard index == 2 else { continue }
                try await service.anyone.delete(
                    "\(meeting.submissionsPath)/\(sent.string("id"))",
                    headers: ["Authorization": "Receipt \(sent.string("receipt"))"]
                ).expect(204)
            }
            let person = try await Self.find(Self.email, in: rounds[0], by: service.host).expect(200)
            #expect(person.json?["answered"] == JSONValue(1))
            #expect(person.json?["daysAnswered"]?.array?.count == 1)
            let history = try #require(person.json?["history"]?.array)
            // Newest first: open, anonymous, withdrawn, not answered, answered.
            #expect(history.map { $0["answered"]?.bool } == [nil, nil, false, false, true])
        }
    }

    @Test func closedUndatedRoundShowsWhoAnsweredAndIsNotAnAbsence() async throws {
        try await TestService.run { service in
            let personal = #""identity": "attendee""#
            let first = try await Self.round(1, of: nil, at: nil, settings: personal, in: service)
            let id = try await first.add("Ann", Self.email).expect(201).string("id")
            try await first.add("Bea", "bea@example.org").expect(201)
            let link = try await service.host.post("\(first.attendeesPath)/\(id)/link").expect(200)
            try await first.submit(#"{"pace": 3}"#, respondent: link.string("token")).expect(201)
            for (number, settings) in [(2, personal + #", "anonymous": true"#), (3, nil)] {
                let other = try await Self.round(number, of: first, at: nil, settings: settings, in: service)
                try await other.add("Ann", Self.email).expect(201)
                try await service.host.post(other.path + "/form/close").expect(200)
            }
            let open = try await Self.find(Self.email, in: first, by: service.host).expect(200)
            #expect(open.json?["history"]?.array == [])
            try await service.host.post(first.path + "/form/close").expect(200)
            for (email, answered) in [(Self.email, true), ("bea@example.org", false)] {
                let person = try await Self.find(email, in: first, by: service.host).expect(200)
                let history = try #require(person.json?["history"]?.array)
                #expect(
                    history.map { $0["round"] } == [JSONValue(1)],
                    "rounds whose form does not record who answered are omitted")
                #expect(history.map { $0["answered"]?.bool } == [answered])
                #expect(history.map { $0["status"]?.string } == ["expected"])
                #expect(person.json?["answered"] == JSONValue(answered ? 1 : 0))
                for count in ["rounds", "attended", "absent"] { #expect(person.json?[count] == JSONValue(0)) }
            }
        }
    }

    @Test func unknownPeopleAreNotFound() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let code = try await meeting.add("Ann", Self.email).expect(201).string("code")
            #expect(try await Self.find("nn@example.org", in: meeting, by: service.host).status == 404)
            #expect(try await Self.find("%25@example.org", in: meeting, by: service.host).status == 404)
            #expect(try await Self.find(Self.email, in: meeting, by: service.other).status == 404)
            #expect(try await Self.find("nobody", in: meeting, by: service.other).status == 404)
            #expect(try await Self.find("nobody", in: meeting, by: service.host).faults == ["?email invalid-email"])
            let series = "/v1/series/\(meeting.seriesID)/attendees"
            #expect(try await service.host.get(series).status == 422)
            for wrong in ["zzzzzzzzzzzzz", "x", meeting.code] {
                #expect(try await service.anyone.get("/v1/people/\(wrong)").status == 404)
            }
            try await service.sql(
                "UPDATE series SET deleted_at = now() WHERE id = \(UUID(uuidString: meeting.seriesID))")
            #expect(try await service.anyone.get("/v1/people/\(code)").status == 404)
        }
    }

    /// With the lookup, a viewer could guess addresses and learn names, personal codes and who answered.
    @Test func viewersCannotLookUpPeopleByAddress() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await meeting.add("Ann", Self.email).expect(201)
            try await service.coHost(meeting, as: "editor")
            try await Self.find(Self.email, in: meeting, by: service.other).expect(200)
            try await service.sql("UPDATE series_host SET role = 'viewer'")
            for address in [Self.email, "nobody@example.org", "nobody"] {
                let refusal = try await Self.find(address, in: meeting, by: service.other)
                #expect(refusal.status == 403 && !refusal.text.contains(Self.email), "\(address)")
            }
        }
    }

    @Test func plusInAnAddressMayBeUnencoded() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await meeting.add("Ann", "ann+meetings@example.org").expect(201)
            for email in ["ann+meetings@example.org", "ann%2Bmeetings@example.org", "%20ann+Meetings@example.org%20"] {
                let person = try await Self.find(email, in: meeting, by: service.host).expect(200)
                #expect(try person.string("email") == "ann+meetings@example.org")
            }
        }
    }
}
