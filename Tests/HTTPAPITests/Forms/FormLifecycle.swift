import Contract
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct FormLifecycle {
    private static let questions = #"[{"key": "a", "kind": "text", "title": "T"}]"#

    private static func instant(_ seconds: TimeInterval) -> String {
        RFC3339.format(Date(timeIntervalSinceNow: seconds))
    }

    /// Submits an answer and returns the status and the problem.
    private static func submit(_ meeting: TestMeeting) async throws -> String {
        let response = try await meeting.submit(#"{"a": "x"}"#)
        return "\(response.status) \(response.problem ?? "")"
    }

    @Test func draftShowsNothingAndRefusesSubmissions() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(Self.questions)
            let form = try await service.anyone.get(meeting.formPath).expect(200).decoded(as: PublicForm.self)
            #expect(form.state == "draft" && form.version == 0 && form.questions.isEmpty)
            #expect(try await Self.submit(meeting) == "409 form-not-open")
            #expect(try await meeting.perform("close").problem == "form-not-open")
            #expect(try await meeting.perform("reopen").problem == "form-not-open")
        }
    }

    @Test func repeatedActionChangesNothing() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(Self.questions)
            let published = try await meeting.perform("publish").expect(200)
            let again = try await meeting.perform("publish", json: "{}").expect(200)
            #expect(again.body == published.body && again["ETag"] == published["ETag"])
            let closed = try await meeting.perform("close").expect(200)
            #expect(try closed.decoded(as: Form.self).state == "closed")
            #expect(try await meeting.perform("close").expect(200).body == closed.body)
            #expect(try await Self.submit(meeting) == "409 form-closed")
            let reopened = try await meeting.perform("reopen").expect(200)
            #expect(try reopened.decoded(as: Form.self).state == "open")
            #expect(try await meeting.perform("reopen").expect(200).body == reopened.body)
            #expect(try await Self.submit(meeting) == "201 ")
            #expect(try await meeting.perform("publish").expect(200).decoded(as: Form.self).version == 1)
        }
    }

    @Test func emptyFormIsNotPublished() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting("[]")
            let response = try await meeting.perform("publish")
            #expect(response.status == 422 && response.faults == ["/questions required"])
            #expect(try await meeting.perform("publish", json: #"{"now": true}"#).faults == ["/now unknown-field"])
            #expect(try await meeting.perform("publish", json: "[").status == 400)
        }
    }

    @Test func scheduledFormOpensAtItsTime() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                Self.questions, settings: "\"opens\": \"\(Self.instant(3600))\"")
            #expect(try await meeting.form().decoded(as: Form.self).state == "scheduled")
            let shown = try await service.anyone.get(meeting.formPath).expect(200).decoded(as: PublicForm.self)
            #expect(shown.state == "scheduled" && shown.opensAt != nil)
            #expect(try await Self.submit(meeting) == "409 form-not-open")
            #expect(try await meeting.define("{\"questions\": \(Self.questions)}").status == 200)
            #expect(try await Self.submit(meeting) == "201 ", "without an opening time the form is open")
        }
    }

    @Test func formClosesAfterItsGraceAndReopeningSetsANewClosingTime() async throws {
        try await TestService.run { service in
            let past = "\"closes\": \"\(Self.instant(-60))\""
            let inGrace = try await service.openMeeting(Self.questions, settings: past)
            #expect(try await inGrace.form().decoded(as: Form.self).state == "open")
            #expect(try await Self.submit(inGrace) == "201 ")
            let meeting = try await service.openMeeting(Self.questions)
            let closedSettings = past + #", "graceMinutes": 0"#
            let closed = try await meeting.define("{\(closedSettings), \"questions\": \(Self.questions)}").expect(200)
            #expect(closed.json?["state"] == .string("closed"), "a form whose closing time has passed is closed")
            #expect(try await service.anyone.get(meeting.formPath).json?["state"] == .string("closed"))
            #expect(try await Self.submit(meeting) == "409 form-closed")

            let backwards = try await meeting.perform("reopen", json: "{\"closes\": \"\(Self.instant(-30))\"}")
            #expect(backwards.status == 422 && backwards.faults == ["/closes in-the-past"])
            #expect(try await meeting.perform("reopen", json: #"{"closes": 5}"#).status == 400)
            let closes = Self.instant(3600)
            let reopened = try await meeting.perform("reopen", json: "{\"closes\": \"\(closes)\"}").expect(200)
            #expect(reopened.json?["state"] == .string("open") && reopened.json?["closesAt"] == .string(closes))
            #expect(try await Self.submit(meeting) == "201 ")
        }
    }

    @Test func offsetsAreRelativeToTheMeeting() async throws {
        try await TestService.run { service in
            let times = """
                "startsAt": "2035-01-01T09:00:00Z", "endsAt": "2035-01-01T10:00:00Z", "timeZone": "UTC"
                """
            let settings = """
                "opens": {"from": "start", "minutes": -30}, "closes": {"from": "end", "minutes": 2880}
                """
            let meeting = try await service.openMeeting(Self.questions, settings: settings, members: times)
            let form = try await meeting.form()
            #expect(form.json?["opensAt"] == .string("2035-01-01T08:30:00Z"))
            #expect(form.json?["closesAt"] == .string("2035-01-03T10:00:00Z"))
            #expect(form.json?["closes"]?["minutes"] == JSONValue(2880))
            let undated = try await service.meeting(Self.questions)
            let response = try await undated.define("{\(settings), \"questions\": \(Self.questions)}")
            #expect(response.status == 422)
            #expect(response.faults == ["/opens undated-meeting", "/closes undated-meeting"])
        }
    }

    @Test func actionHonorsIfMatch() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(Self.questions)
            let stale = try #require(try await meeting.form()["ETag"])
            try await meeting.define("{\"title\": \"New\", \"questions\": \(Self.questions)}").expect(200)
            for verb in ["publish", "close", "reopen"] {
                let response = try await service.host.post("\(meeting.path)/form/\(verb)", headers: ["If-Match": stale])
                #expect(response.status == 412, "\(verb)")
            }
            let tag = try #require(try await meeting.form()["ETag"])
            try await service.host.post("\(meeting.path)/form/publish", headers: ["If-Match": tag]).expect(200)
        }
    }

    @Test func joinCodeExistsFromTheStartAndWorksWhileTheFormIsOpen() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(Self.questions)
            let join = try await meeting.form().expect(200).decoded(as: Form.self).joinCode
            #expect(join.count == 8)
            #expect(try await service.anyone.get("/v1/forms/\(join)").status == 404)
            #expect(try await meeting.perform("publish").expect(200).string("joinCode") == join)
            let form = try await service.anyone.get("/v1/forms/\(join)").expect(200).decoded(as: PublicForm.self)
            #expect(form.code == meeting.code)
            // As typed on a phone, with the letters O and I for the digits 0 and 1.
            let typed = join.uppercased().replacing("0", with: "O").replacing("1", with: "I")
            #expect(try await service.anyone.get("/v1/forms/\(typed)").expect(200).string("code") == meeting.code)
            #expect(try await meeting.perform("close").expect(200).string("joinCode") == join)
            #expect(try await service.anyone.get("/v1/forms/\(join)").status == 404)
        }
    }

    @Test(arguments: ["zzzzzzzzzzzzz", "zzzzzzzz", "nonsense-code", "%00", "..", "a%2Fb", "ZZZZZZZZZZZZZ"])
    func unknownCodeIsNotFound(code: String) async throws {
        try await TestService.run { service in
            #expect(try await service.anyone.get("/v1/forms/\(code)").status == 404)
            let sent = try await service.anyone.post("/v1/forms/\(code)/submissions", json: #"{"answers": {}}"#)
            #expect(sent.status == 404 && sent.problem == "not-found")
        }
    }

    @Test func fullFormRefusesSubmissions() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions, settings: #""cap": 2"#)
            let statuses = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<6 { group.addTask { try await Self.submit(meeting) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == "201 " } == 2)
            #expect(statuses.count { $0 == "409 form-full" } == 4)
        }
    }
}
