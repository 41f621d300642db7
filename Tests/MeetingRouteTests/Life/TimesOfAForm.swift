import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// A form accepts submissions according to the database's clock.
@Suite(.timeLimit(.minutes(15))) struct TimesOfAForm {
    private static func instant(_ seconds: Double) -> String { RFC3339.format(Date(timeIntervalSinceNow: seconds)) }

    /// The number of requests that came too early.
    private actor EarlyRequests {
        private(set) var count = 0

        func record() { count += 1 }
    }

    private static func form(_ settings: String) -> String {
        "{\(settings), \"questions\": \(TestStore.questions)}"
    }

    @Test func scheduledFormAcceptsAnswersFromItsOpening() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: "\"opens\": \"\(Self.instant(3600))\"")
            let earlyRequests = EarlyRequests()
            let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let deadline = ContinuousClock.now + .seconds(60)
                        while true {
                            let response = try await meeting.submit(#"{"pace": 4}"#)
                            guard response.problem == "form-not-open", .now < deadline else { return response.status }
                            await earlyRequests.record()
                        }
                    }
                }
                group.addTask {
                    // The clients are already sending when the opening is set.
                    while await earlyRequests.count < 16 { try await Task.sleep(for: .milliseconds(5)) }
                    try await service.sql(
                        """
                        UPDATE form_state AS fs SET opens_at = statement_timestamp() + interval '1 second' FROM form f
                        WHERE f.id = fs.form_id AND f.code = \(meeting.code)
                        """)
                    return nil
                }
                return try await group.reduce(into: [Int?]()) { $0.append($1) }.compactMap { $0 }
            }
            #expect(statuses == Array(repeating: 201, count: 8))
            let early = try await service.fixture.store.pool.query(
                """
                SELECT count(*) FROM submission s JOIN form_state fs ON fs.form_id = s.form_id
                WHERE s.submitted_at < fs.opens_at
                """)
            #expect(try early.first?.decode(Int.self) == 0)
        }
    }

    @Test func onlyATimedCloseHasAGrace() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                settings: "\"closes\": \"\(Self.instant(600))\", \"graceMinutes\": 10")
            try await service.passTime(15, for: meeting)
            #expect(try await meeting.state() == "open")
            let sent = try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let submissionPath = "\(meeting.submissionsPath)/\(try sent.string("id"))"
            let proof = try ["Authorization": "Receipt \(sent.string("receipt"))"]
            try await service.anyone.put(submissionPath, json: #"{"answers": {"pace": 2}}"#, headers: proof).expect(200)
            try await meeting.perform("close").expect(200)
            #expect(try await meeting.submit(#"{"pace": 4}"#).problem == "form-closed")
            try await meeting.perform("reopen", json: "{\"closes\": \"\(Self.instant(600))\"}").expect(200)
            try await service.passTime(20.1, for: meeting)
            #expect(try await meeting.state() == "closed")
            for response in [
                try await meeting.submit(#"{"pace": 4}"#),
                try await service.anyone.put(submissionPath, json: #"{"answers": {"pace": 3}}"#, headers: proof),
                try await service.anyone.delete(submissionPath, headers: proof),
            ] { #expect(response.status == 409 && response.problem == "form-closed", "\(response.text)") }
        }
    }

    @Test func openingAndCloseFollowAMovedMeeting() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                settings: """
                    "opens": {"from": "start", "minutes": 30}, "closes": {"from": "end", "minutes": -10}, "graceMinutes": 0
                    """,
                members: """
                    "startsAt": "\(Self.instant(3600))", "endsAt": "\(Self.instant(7200))", "timeZone": "UTC"
                    """)
            for (start, end, state, problem) in [
                (-20.0, 60.0, "scheduled", "form-not-open"), (-40, 60, "open", ""), (-40, 9, "closed", "form-closed"),
            ] {
                try await meeting.move(from: start, to: end)
                #expect(try await meeting.state() == state)
                #expect(try await meeting.submit(#"{"pace": 4}"#).problem ?? "" == problem)
            }
        }
    }

    @Test func formThatWouldNeverOpenIsNotPublished() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await meeting.define(Self.form("\"closes\": \"\(Self.instant(-600))\"")).expect(200)
            let refused = try await meeting.perform("publish")
            #expect(refused.status == 422 && refused.faults == ["/closes in-the-past"])
            #expect(try await meeting.state() == "draft")
            let backwards = try await meeting.define(
                Self.form("\"opens\": \"\(Self.instant(600))\", \"closes\": \"\(Self.instant(300))\""))
            #expect(backwards.status == 422 && backwards.faults == ["/closes closes-before-opens"])
            let undated = try await meeting.define(Self.form(#""opens": {"from": "end", "minutes": 0}"#))
            #expect(undated.status == 422 && undated.faults == ["/opens undated-meeting"])
            // The five minutes of grace have not passed.
            try await meeting.define(Self.form("\"closes\": \"\(Self.instant(-60))\"")).expect(200)
            #expect(try await meeting.perform("publish").expect(200).json?["state"]?.string == "open")
        }
    }

    @Test func closeInThePastClosesTheForm() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let past = Self.form("\"closes\": \"\(Self.instant(-600))\"")
            #expect(try await meeting.define(past).expect(200).json?["state"]?.string == "closed")
            #expect(try await meeting.submit(#"{"pace": 4}"#).problem == "form-closed")
            let refused = try await meeting.perform("reopen", json: "{\"closes\": \"\(Self.instant(-1))\"}")
            #expect(refused.status == 422 && refused.faults == ["/closes in-the-past"])
            #expect(try await meeting.define(past).expect(200).json?["state"]?.string == "closed")
            try await meeting.perform("reopen").expect(200)
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            #expect(try await meeting.results().json?["submissions"]?.int == 2)
        }
    }

    @Test func joinCodeWorksWhileTheFormIsOpen() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                settings: "\"opens\": \"\(Self.instant(600))\", \"closes\": \"\(Self.instant(1200))\"")
            let join = try await meeting.form().string("joinCode")
            func status() async throws -> Int { try await service.anyone.get("/v1/forms/\(join)").status }
            #expect(try await status() == 404, "scheduled")
            try await service.passTime(11, for: meeting)
            #expect(try await status() == 200, "open")
            #expect(try await service.anyone.get("/v1/forms/\(join.uppercased())").status == 200)
            let sent = try await service.anyone.post(
                "/v1/forms/\(join)/submissions", json: #"{"answers": {"pace": 4}}"#)
            #expect(sent.status == 404, "a join code is not accepted as the form's code")
            try await service.passTime(10, for: meeting)
            #expect(try await status() == 200, "in the grace")
            try await service.passTime(5, for: meeting)
            #expect(try await status() == 404, "closed by the clock")
            try await meeting.perform("reopen").expect(200)
            #expect(try await status() == 200)
            try await service.host.delete(meeting.path).expect(204)
            #expect(try await status() == 404, "in the trash")
        }
    }

    @Test func guessesOfJoinCodesAreLimited() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let join = try await meeting.form().string("joinCode")
            try await service.anyone.get("/v1/forms/\(join)").expect(200)
            for number in 100..<200 {
                #expect(try await service.anyone.get("/v1/forms/zzzzz\(number)").status == 404)
            }
            let wrong = try await service.anyone.get("/v1/forms/zzzzz200")
            let right = try await service.anyone.get("/v1/forms/\(join)")
            #expect(wrong.status == 429 && wrong["Retry-After"] != nil)
            #expect(right.status == 429, "a valid code gets the same response as a guess")
            #expect(
                try await service.anyone.get(meeting.formPath).status == 200,
                "requests with the form's code are not limited")
        }
    }
}
