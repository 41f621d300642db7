import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AddingRounds {
    private static let settings = """
        {"title": "What you say", "intro": "Two minutes.", "identity": "device", "anonymous": true, "minimumGroup": 4,
         "showResults": "afterClose", "cap": 50, "graceMinutes": 7, "autoPublish": true, "oneByOne": true,
         "opens": {"from": "start", "minutes": 10}, "closes": {"from": "end", "minutes": 2880},
         "questions": \(TestStore.questions)}
        """

    /// A dated meeting that has a value for everything that the next round copies.
    private static func completeMeeting(_ service: TestService) async throws -> TestMeeting {
        let meeting = try await service.meeting(
            members: """
                "startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "Asia/Seoul",
                "place": "Room 1", "headcount": 12, "lateAfterMinutes": 5
                """)
        try await meeting.define(settings).expect(200)
        return meeting
    }

    private static func addRound(_ meeting: TestMeeting, _ body: String? = nil) async throws -> HTTPTestClient.Response
    {
        try await meeting.host.post("/v1/series/\(meeting.seriesID)/meetings", json: body)
    }

    /// For each table, a hash and the `xmin` of every row that belongs to a meeting.
    private static func rows(of meeting: TestMeeting, _ service: TestService) async throws -> [String] {
        let id = try #require(UUID(uuidString: meeting.id))
        let pool = service.fixture.store.pool
        var texts: [String] = []
        for (table, condition): (String, Statement) in [
            ("meeting", "id = \(id)"), ("form", "meeting_id = \(id)"), ("attendee", "meeting_id = \(id)"),
            ("meeting_image", "meeting_id = \(id)"),
        ]
            + ["form_version", "question", "form_state", "form_salt", "submission", "tally", "timeline"].map({
                ($0, "form_id = (SELECT f.id FROM form f WHERE f.meeting_id = \(id))")
            })
        {
            let rows = try await pool.query(
                """
                SELECT coalesce(string_agg(md5(t::text) || t.xmin::text, ',' ORDER BY t::text), '')
                FROM \(identifier: table) t WHERE \(fragment: condition)
                """)
            texts.append(table + ": " + (try rows.first?.decode(String.self) ?? ""))
        }
        return texts
    }

    @Test func omittedMembersAreCopiedFromTheLastRound() async throws {
        try await TestService.run { service in
            let first = try await Self.completeMeeting(service)
            let created = try await Self.addRound(first).expect(201)
            let body = try #require(created.json)
            #expect(body["round"] == .number("2") && body["seriesId"]?.string == first.seriesID)
            #expect(body["title"]?.string == "A meeting" && body["place"]?.string == "Room 1")
            #expect(body["headcount"] == .number("12") && body["lateAfterMinutes"] == .number("5"))
            #expect(body["timeZone"]?.string == "Asia/Seoul" && body["allowOverlap"] == .bool(false))
            #expect(body["startsAt"] == .null && body["endsAt"] == .null && body["state"] == .null)
            #expect(body["attended"] == .number("0") && body["submissions"] == .number("0"))
            #expect(body["form"]?["state"]?.string == "draft" && body["form"]?["version"] == .number("0"))
            #expect(body["form"]?["code"]?.string != first.code)
            let second = try TestMeeting(created: created, host: service.host, anyone: service.anyone)
            let (before, after) = (try await first.form().json, try await second.form().json)
            let copied = [
                "title", "intro", "identity", "anonymous", "minimumGroup", "showResults", "cap", "opens", "closes",
                "graceMinutes", "autoPublish", "oneByOne", "questions",
            ]
            for name in copied { #expect(after?[name] == before?[name] && after?[name] != nil, "\(name)") }
            #expect(after?["opensAt"] == .null && after?["joinCode"] != before?["joinCode"])
        }
    }

    @Test func givenMembersReplaceThoseOfTheLastRound() async throws {
        try await TestService.run { service in
            let first = try await Self.completeMeeting(service)
            let body = """
                {"title": "Another", "startsAt": "2027-03-08T09:00:00Z", "endsAt": "2027-03-08T10:00:00Z",
                 "timeZone": "Europe/Berlin", "place": null, "headcount": 3, "lateAfterMinutes": 0, "allowOverlap": true,
                 "questions": [{"key": "pace", "kind": "rating", "title": "And now?"}]}
                """
            let created = try await Self.addRound(first, body).expect(201)
            #expect(created.json?["title"]?.string == "Another" && created.json?["place"] == .null)
            #expect(created.json?["startsAt"]?.string == "2027-03-08T09:00:00Z")
            #expect(created.json?["timeZone"]?.string == "Europe/Berlin" && created.json?["headcount"] == .number("3"))
            let second = try TestMeeting(created: created, host: service.host, anyone: service.anyone)
            let form = try #require(try await second.form().json)
            let questions = try #require(form["questions"]?.array)
            #expect(questions.map { $0["key"]?.string } == ["pace"] && questions[0]["title"]?.string == "And now?")
            #expect(form["identity"]?.string == "device", "the other settings of the form are those of the last round")
            try await second.perform("publish").expect(200)
            #expect(
                try await second.form().json?["opensAt"]?.string == "2027-03-08T09:10:00Z",
                "offsets are relative to the new start")
            #expect(created.json?["allowOverlap"] == .bool(true))
            let third = try await Self.addRound(first).expect(201)
            #expect(third.json?["allowOverlap"] == .bool(false), "the overlap was allowed for one round only")
        }
    }

    @Test func instantsOfTheLastRoundAreNotCopied() async throws {
        try await TestService.run { service in
            let first = try await service.meeting()
            try await first.define(
                """
                {"opens": "2027-03-01T09:00:00Z", "closes": "2027-03-02T09:00:00Z", "questions": \(TestStore.questions)}
                """
            ).expect(200)
            let second = try TestMeeting(
                created: try await Self.addRound(first), host: service.host, anyone: service.anyone)
            let form = try await second.form().json
            #expect(form?["opens"] == .null && form?["closes"] == .null)
        }
    }

    @Test func nextRoundDoesNotTouchThePreviousRound() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(settings: #""identity": "device""#)
            let key = String(repeating: "k", count: 40)
            try await first.submit(#"{"pace": 4, "better": "more"}"#, respondent: key).expect(201)
            let before = try await Self.rows(of: first, service)
            #expect(before.count { $0.hasSuffix(": ") } == 2, "nobody is on its list, and it has no image")
            let second = try TestMeeting(
                created: try await Self.addRound(first), host: service.host, anyone: service.anyone)
            for path in ["", "/form", "/results"] { try await service.host.get(second.path + path).expect(200) }
            try await service.host.get("/v1/meetings").expect(200)
            _ = try await second.form()
            #expect(
                try await Self.rows(of: first, service) == before, "no row was rewritten, not even with equal values")
            try await second.perform("publish").expect(200)
            try await second.submit(#"{"pace": 1}"#, respondent: key).expect(201)
            #expect(try await Self.rows(of: first, service) == before)
        }
    }

    @Test func concurrentRoundsGetConsecutiveNumbers() async throws {
        try await TestService.run { service in
            let first = try await service.meeting()
            let rounds = try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
                for _ in 0..<20 { group.addTask { try await Self.addRound(first) } }
                return try await group.reduce(into: []) { $0.append(try $1.expect(201)) }
            }
            #expect(rounds.compactMap { $0.json?["round"]?.int }.sorted() == Array(2...21))
            #expect(Set(rounds.compactMap { $0.json?["form"]?["code"]?.string }).count == 20)
        }
    }

    @Test func retryGetsTheSameRound() async throws {
        try await TestService.run { service in
            let first = try await service.meeting()
            let path = "/v1/series/\(first.seriesID)/meetings"
            let responses = try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        try await service.host.post(path, json: #"{"place": "B"}"#, headers: ["Idempotency-Key": "r"])
                    }
                }
                return try await group.reduce(into: []) { $0.append(try $1.expect(201)) }
            }
            #expect(Set(responses.map(\.body)).count == 1)
            #expect(responses.count { $0["Idempotency-Replayed"] == "true" } == 9)
            let other = try await service.host.post(path, json: "{}", headers: ["Idempotency-Key": "r"])
            #expect(other.problem == "idempotency-conflict")
            #expect(try await Self.addRound(first).expect(201).json?["round"] == .number("3"))
        }
    }

    @Test func membersOfTheSeriesAreExpectedInNewRounds() async throws {
        try await TestService.run { service in
            let first = try await service.meeting()
            let seriesID = try #require(UUID(uuidString: first.seriesID))
            for name in ["Ann", "Ben", "Çem"] {
                try await service.sql(
                    """
                    INSERT INTO member (id, series_id, name, email)
                    VALUES (gen_random_uuid(), \(seriesID), \(name), \("\(name)@example.org"))
                    """)
            }
            let created = try await Self.addRound(
                first,
                """
                {"startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC",
                 "repeat": {"every": "P1W", "count": 3}}
                """
            ).expect(201)
            #expect(created.json?["round"] == .number("2"))
            let rows = try await service.fixture.store.pool.query(
                """
                SELECT m.round, string_agg(a.name || ' ' || a.email || ' ' || a.status, ', ' ORDER BY a.name COLLATE "C")
                FROM meeting m LEFT JOIN attendee a ON a.meeting_id = m.id
                WHERE m.series_id = \(seriesID) GROUP BY m.round ORDER BY m.round
                """)
            let lists = try rows.map { try $0.decode(Int.self, String?.self).1 }
            let all = "Ann Ann@example.org expected, Ben Ben@example.org expected, Çem Çem@example.org expected"
            #expect(lists == [nil, all, all, all])
        }
    }

    @Test func refusedRoundLeavesNothingBehind() async throws {
        try await TestService.run { service in
            let first = try await Self.completeMeeting(service)
            let count: Statement = """
                SELECT (SELECT count(*) FROM meeting) + (SELECT count(*) FROM form) + (SELECT count(*) FROM form_state)
                    + (SELECT count(*) FROM series) + (SELECT sum(rounds) FROM series)
                """
            let pool = service.fixture.store.pool
            let before = try await pool.query(count).first?.decode(Int.self)
            let times = #""startsAt": "2027-03-01T09:30:00Z", "endsAt": "2027-03-01T11:00:00Z""#
            let cases: [(String, Int)] = [
                ("{\(times)}", 409), (#"{"title": " "}"#, 422), (#"{"timeZone": "Mars/Olympus"}"#, 422),
                (#"{"headcount": -1}"#, 422), (#"{"colour": 1}"#, 400), (#"{"questions": "pace"}"#, 400),
                (#"{"startsAt": "2027-03-01T09:30:00Z"}"#, 422), ("[]", 400), ("{", 400),
                (#"{"questions": [{"key": "pace", "kind": "slider", "title": "?"}]}"#, 422),
            ]
            for (body, status) in cases {
                let response = try await Self.addRound(first, body)
                #expect(response.status == status, "\(body): \(response.text)")
            }
            #expect(try await pool.query(count).first?.decode(Int.self) == before)
            #expect(
                try await Self.addRound(first).expect(201).json?["round"] == .number("2"),
                "a refused round uses up no number")
        }
    }

    @Test func lastRoundIsTheHighestOutsideTheTrash() async throws {
        try await TestService.run { service in
            let first = try await service.meeting()
            let second = try await Self.addRound(first, #"{"title": "Second"}"#).expect(201).string("id")
            try await service.host.delete("/v1/meetings/\(second)").expect(204)
            let third = try await Self.addRound(first).expect(201)
            #expect(third.json?["title"]?.string == "A meeting" && third.json?["round"] == .number("3"))
            try await service.host.delete(first.path).expect(204)
            try await service.host.delete("/v1/meetings/\(try third.string("id"))").expect(204)
            let fourth = try await Self.addRound(first, #"{"place": "Nowhere"}"#).expect(201)
            #expect(fourth.json?["round"] == .number("4"), "if all rounds are in the trash, the highest is copied")
            let form = try await service.host.get("/v1/meetings/\(try fourth.string("id"))/form").expect(200)
            #expect(form.json?["questions"]?.array?.count == 3)
        }
    }

    @Test func formTitledLikeItsMeetingGetsTheNextMeetingsTitle() async throws {
        try await TestService.run { service in
            let first = try await service.meeting()
            let second = try TestMeeting(
                created: try await Self.addRound(first, #"{"title": "Retro 2"}"#), host: service.host,
                anyone: service.anyone)
            #expect(try await second.form().json?["title"]?.string == "Retro 2")
            try await second.define("{\"title\": \"Tell us\", \"questions\": \(TestStore.questions)}").expect(200)
            let third = try TestMeeting(
                created: try await Self.addRound(second, #"{"title": "Retro 3"}"#), host: service.host,
                anyone: service.anyone)
            #expect(try await third.form().json?["title"]?.string == "Tell us")
        }
    }
}
