import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct MeetingEditing {
    private static let times =
        #""startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "Europe/Berlin""#

    private static func edit(
        _ meeting: TestMeeting, _ json: String, match: String = "*", by client: HTTPTestClient? = nil
    ) async throws -> HTTPTestClient.Response {
        try await (client ?? meeting.host).send(
            "PATCH", meeting.path, body: Array(json.utf8), headers: ["If-Match": match])
    }

    @Test func onlyGivenMembersChange() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times + #", "place": "Room 1", "headcount": 4"#)
            let before = try #require(try await service.host.get(meeting.path).expect(200).json?.members)
            let edited = try await Self.edit(meeting, #"{"title": "New words"}"#).expect(200)
            let after = try #require(edited.json?.members)
            let changed = zip(before, after).filter { $0.0 != $0.1 }.map(\.1.name)
            #expect(changed == ["title"])
            let replaced = try await Self.edit(
                meeting,
                """
                {"place": null, "headcount": null, "lateAfterMinutes": 10, "allowOverlap": true, "timeZone": "Asia/Seoul",
                 "startsAt": "2027-03-02T09:00:00Z", "endsAt": "2027-03-02T09:45:00Z"}
                """
            ).expect(200)
            #expect(replaced.json?["place"] == .null && replaced.json?["headcount"] == .null)
            #expect(
                replaced.json?["lateAfterMinutes"] == .number("10") && replaced.json?["allowOverlap"] == .bool(true))
            #expect(replaced.json?["timeZone"]?.string == "Asia/Seoul")
            #expect(replaced.json?["startsAt"]?.string == "2027-03-02T09:00:00Z")
            let later = try await Self.edit(meeting, #"{"endsAt": "2027-03-02T11:00:00Z"}"#).expect(200)
            #expect(later.json?["startsAt"]?.string == "2027-03-02T09:00:00Z", "an end moves without its start")
            let undated = try await Self.edit(meeting, #"{"startsAt": null, "endsAt": null}"#).expect(200)
            #expect(undated.json?["startsAt"] == .null && undated.json?["state"] == .null)
            #expect(try await service.host.get(meeting.path).json == undated.json)
        }
    }

    @Test func editRequiresTheCurrentRevision() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let firstTag = try #require(try await service.host.get(meeting.path).expect(200)["ETag"])
            let unconditional = try await service.host.send("PATCH", meeting.path, body: Array("nonsense".utf8))
            #expect(unconditional.status == 428 && unconditional.problem == "precondition-required")
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            let tagAfterSubmission = try #require(try await service.host.get(meeting.path)["ETag"])
            #expect(tagAfterSubmission != firstTag, "a submission changes the tag")
            let edited = try await Self.edit(meeting, #"{"title": "B"}"#, match: firstTag).expect(200)
            let tag = try #require(edited["ETag"])
            for stale in [
                firstTag, tagAfterSubmission, "W/" + tag, "\"nonsense\"", "\"1\"",
                tag.replacing("\"2.", with: "\"02x."),
            ] {
                let response = try await Self.edit(meeting, "nonsense", match: stale)
                #expect(response.status == 412 && response.problem == "precondition-failed", "\(stale)")
            }
            #expect(try await Self.edit(meeting, #"{"title": "C"}"#, match: tag).status == 200)
            let same = try await Self.edit(meeting, #"{"title": "C"}"#).expect(200)
            #expect(try await Self.edit(meeting, "{}").expect(200)["ETag"] == same["ETag"], "nothing changed")
        }
    }

    @Test func oneOfTwentyEditsOfTheSameRevisionSucceeds() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let tag = try #require(try await service.host.get(meeting.path)["ETag"])
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await Self.edit(meeting, "{\"title\": \"Number \(number)\"}", match: tag).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 412, count: 19))
        }
    }

    @Test func invalidEditChangesNothing() async throws {
        let cases: [(String, Int, [String])] = [
            (#"{"startsAt": "2027-03-01T10:00:00Z"}"#, 422, ["/endsAt ends-before-start"]),
            (#"{"endsAt": "2027-03-01T09:00:00Z"}"#, 422, ["/endsAt ends-before-start"]),
            (#"{"endsAt": "2028-04-05T09:00:00Z"}"#, 422, ["/endsAt too-long"]),
            (#"{"startsAt": null}"#, 422, ["/startsAt required"]),
            (#"{"endsAt": null}"#, 422, ["/endsAt required"]),
            (
                #"{"title": null, "timeZone": null, "lateAfterMinutes": null, "allowOverlap": null}"#, 422,
                ["/title required", "/timeZone required", "/lateAfterMinutes required", "/allowOverlap required"]
            ),
            (#"{"title": "\t "}"#, 422, ["/title required"]),
            (
                #"{"headcount": -1, "lateAfterMinutes": 1441}"#, 422,
                ["/headcount out-of-range", "/lateAfterMinutes out-of-range"]
            ),
            (#"{"headcount": "4"}"#, 400, ["/headcount wrong-type"]),
            (#"{"timeZone": "Mars/Olympus"}"#, 422, ["/timeZone unknown-time-zone"]),
            (#"{"questions": []}"#, 400, ["/questions unknown-field"]),
            (#"{"round": 7}"#, 400, ["/round unknown-field"]),
            (#"[]"#, 400, [" wrong-type"]),
        ]
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times)
            let before = try await service.host.get(meeting.path)
            for (body, status, faults) in cases {
                let response = try await Self.edit(meeting, body)
                #expect(response.status == status && response.faults == faults, "\(body): \(response.text)")
            }
            #expect(try await service.host.get(meeting.path)["ETag"] == before["ETag"])
        }
    }

    @Test func formWithOffsetsMovesWithTheMeeting() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times)
            try await meeting.define(
                """
                {"opens": {"from": "start", "minutes": 5}, "closes": {"from": "end", "minutes": 60},
                 "questions": \(TestStore.questions)}
                """
            ).expect(200)
            try await Self.edit(meeting, #"{"endsAt": "2027-03-01T10:30:00Z"}"#).expect(200)
            try await meeting.perform("publish").expect(200)
            let published = try await meeting.form()
            #expect(published.json?["closesAt"]?.string == "2027-03-01T11:30:00Z")
            try await Self.edit(
                meeting, #"{"startsAt": "2027-04-01T09:00:00Z", "endsAt": "2027-04-01T10:00:00Z"}"#
            ).expect(200)
            let moved = try await meeting.form()
            #expect(moved.json?["opensAt"]?.string == "2027-04-01T09:05:00Z")
            #expect(moved.json?["closesAt"]?.string == "2027-04-01T11:00:00Z")
            #expect(moved["ETag"] != published["ETag"])
            let shown = try await service.anyone.get(meeting.formPath).expect(200)
            #expect(shown.json?["opensAt"]?.string == "2027-04-01T09:05:00Z")
            let undated = try await Self.edit(meeting, #"{"startsAt": null, "endsAt": null}"#)
            #expect(undated.status == 422, "the offsets of the published form need a start and an end")
            #expect(undated.faults == ["/startsAt undated-meeting", "/startsAt undated-meeting"])
            try await Self.edit(meeting, #"{"title": "Only words"}"#).expect(200)
            #expect(try await meeting.form()["ETag"] == moved["ETag"])
        }
    }

    @Test func movingTheMeetingIntoThePastClosesItsForm() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times)
            try await meeting.define(
                #"{"closes": {"from": "end", "minutes": 0}, "questions": \#(TestStore.questions)}"#
            ).expect(200)
            try await meeting.perform("publish").expect(200)
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            try await Self.edit(
                meeting, #"{"startsAt": "2020-03-01T09:00:00Z", "endsAt": "2020-03-01T10:00:00Z"}"#
            ).expect(200)
            #expect(try await meeting.submit(#"{"pace": 3}"#).problem == "form-closed")
        }
    }

    @Test func formClosedByTheClockStaysClosedWhenTheMeetingMoves() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                settings: #""closes": {"from": "end", "minutes": 60}, "graceMinutes": 5"#, members: Self.times)
            let past = #"{"startsAt": "2020-03-01T09:00:00Z", "endsAt": "2020-03-01T10:00:00Z"}"#
            try await Self.edit(meeting, past).expect(200)
            let shown = try await meeting.form()
            #expect(shown.json?["state"]?.string == "closed")
            #expect(
                shown.json?["closesAt"]?.string == "2020-03-01T11:00:00Z", "the close follows the new end"
            )
            try await Self.edit(meeting, "{\(Self.times)}").expect(200)
            let moved = try await meeting.form()
            #expect(moved.json?["state"]?.string == "closed")
            #expect(moved.json?["closesAt"]?.string == "2020-03-01T11:00:00Z")
            #expect(try await meeting.submit(#"{"pace": 3}"#).problem == "form-closed")
            // An edit of texts does not reopen the form, but a host can.
            let newTexts = #""title": "New words", "closes": {"from": "end", "minutes": 60}"#
            let reworded = try await meeting.define("{\(newTexts), \"questions\": \(TestStore.questions)}").expect(200)
            #expect(reworded.json?["state"]?.string == "closed")
            try await meeting.perform("reopen").expect(200)
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
        }
    }

    @Test(arguments: ["2027-03-01T12:00:00Z", nil])
    func closeSetByReopeningAppliesOnlyToThisRound(closes: String?) async throws {
        try await TestService.run { service in
            let settings = #""closes": {"from": "end", "minutes": 60}"#
            let meeting = try await service.openMeeting(settings: settings, members: Self.times)
            func expectNewClose(_ why: Comment) async throws {
                let form = try await meeting.form().expect(200)
                #expect(form.json?["closesAt"] == closes.map(JSONValue.string) ?? .null, why)
                #expect(form.json?["closes"]?["minutes"] == .number("60"), why)
                #expect(form.json?["state"]?.string == "open", why)
            }
            try await meeting.perform("close").expect(200)
            try await meeting.perform("reopen", json: closes.map { "{\"closes\": \"\($0)\"}" }).expect(200)
            try await expectNewClose("closesAt is the new close")
            try await meeting.define(
                "{\(settings), \"title\": \"New words\", \"questions\": \(TestStore.questions)}"
            ).expect(200)
            try await expectNewClose("rewording does not move the close")
            try await Self.edit(
                meeting, #"{"startsAt": "2027-03-01T08:00:00Z", "endsAt": "2027-03-01T08:30:00Z"}"#
            ).expect(200)
            try await expectNewClose("moving the meeting does not move the close")
            let next = try TestMeeting(
                created: try await service.host.post(
                    "/v1/series/\(meeting.seriesID)/meetings",
                    json: #"{"startsAt": "2027-03-08T09:00:00Z", "endsAt": "2027-03-08T10:00:00Z"}"#),
                host: service.host, anyone: service.anyone)
            let published = try await next.perform("publish").expect(200)
            #expect(published.json?["closesAt"]?.string == "2027-03-08T11:00:00Z")
            let other = #""closes": {"from": "end", "minutes": 90}"#
            let defined = try await meeting.define("{\(other), \"questions\": \(TestStore.questions)}").expect(200)
            #expect(
                defined.json?["closesAt"]?.string == "2027-03-01T10:00:00Z",
                "an edited close replaces the one of the reopening")
        }
    }

    @Test func editWithoutAnImageKeepsTheImage() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times)
            let id = try #require(UUID(uuidString: meeting.id))
            try await service.addImage(to: id)
            for edit in [#"{"title": "B"}"#, #"{"place": null, "startsAt": null, "endsAt": null}"#] {
                let response = try await Self.edit(meeting, edit).expect(200)
                #expect(response.json?["image"]?.string == "\(meeting.path)/image")
            }
            let next = try await service.host.post("/v1/series/\(meeting.seriesID)/meetings").expect(201)
            #expect(next.json?["image"]?.string == "/v1/meetings/\(try next.string("id"))/image")
            let withoutImage = try await service.host.post(
                "/v1/series/\(meeting.seriesID)/meetings", json: #"{"image": false}"#
            ).expect(201)
            #expect(withoutImage.json?["image"] == .null)
        }
    }

    @Test func meetingOfAnotherHostCannotBeEdited() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            #expect(try await Self.edit(meeting, "nonsense", by: service.other).status == 404)
            #expect(try await service.other.post("/v1/series/\(meeting.seriesID)/meetings", json: "[").status == 404)
            #expect(try await service.other.post("\(meeting.path)/restore").status == 404)
            #expect(try await service.host.get(meeting.path).json?["title"]?.string == "A meeting")
        }
    }
}
