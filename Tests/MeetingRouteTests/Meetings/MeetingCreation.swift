import Contract
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct MeetingCreation {
    private static func times(_ start: String, _ end: String, zone: String = "UTC") -> String {
        "\"startsAt\": \"\(start)\", \"endsAt\": \"\(end)\", \"timeZone\": \"\(zone)\""
    }

    private static func body(_ members: String) -> String { "{\"title\": \"Retro\", \(members)}" }

    private static let morning = times("2027-03-01T09:00:00Z", "2027-03-01T10:00:00Z")

    @Test func allMembersAreStored() async throws {
        try await TestService.run { service in
            let body = """
                {"title": "Café ☕️", "startsAt": "2027-03-01T09:00:00+01:00", "endsAt": "2027-03-01T10:30:00.5+01:00",
                 "timeZone": "Europe/Berlin", "place": "Room 1", "headcount": 0, "lateAfterMinutes": 10,
                 "allowOverlap": true}
                """
            let created = try await service.host.post("/v1/meetings", json: body).expect(201)
            let meeting = try created.decoded(as: Meeting.self)
            #expect(created.json?["startsAt"] == .string("2027-03-01T08:00:00Z"))
            #expect(meeting.title == "Café ☕️" && meeting.timeZone == "Europe/Berlin" && meeting.place == "Room 1")
            #expect(meeting.headcount == 0 && meeting.lateAfterMinutes == 10 && meeting.allowOverlap)
            #expect(meeting.state == "upcoming" && meeting.attended == 0 && meeting.submissions == 0)
            let read = try await service.host.get("/v1/meetings/\(meeting.id)").expect(200)
            #expect(read.json == created.json)
            let tag = try #require(read["ETag"])
            let again = try await service.host.get("/v1/meetings/\(meeting.id)", headers: ["If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty)
        }
    }

    @Test func invalidValuesAreReportedWithTheirPointer() async throws {
        let end = #""endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC""#
        let cases: [(String, Int, [String])] = [
            (Self.body(Self.times("2027-03-01T10:00:00Z", "2027-03-01T09:00:00Z")), 422, ["/endsAt ends-before-start"]),
            (Self.body(Self.times("2027-03-01T10:00:00Z", "2027-03-01T10:00:00Z")), 422, ["/endsAt ends-before-start"]),
            (
                Self.body(Self.times("2027-03-01T10:00:00.2Z", "2027-03-01T10:00:00.9Z")), 422,
                ["/endsAt ends-before-start"]
            ),
            (Self.body(end), 422, ["/startsAt required"]),
            (Self.body(Self.times("2027-02-30T10:00:00Z", "2027-03-01T10:00:00Z")), 422, ["/startsAt invalid-time"]),
            (Self.body(#""headcount": -1"#), 422, ["/headcount out-of-range"]),
            (Self.body(#""headcount": 1.5"#), 422, ["/headcount not-an-integer"]),
            (Self.body(#""headcount": "4""#), 400, ["/headcount wrong-type"]),
            (
                Self.body(#""lateAfterMinutes": -1, "headcount": 1e400"#), 422,
                ["/headcount out-of-range", "/lateAfterMinutes out-of-range"]
            ),
            (#"{"title": "  "}"#, 422, ["/title required"]),
            (#"{"place": "here"}"#, 422, ["/title required"]),
            (Self.body("\"place\": \"\(String(repeating: "x", count: 301))\""), 422, ["/place too-long"]),
            (Self.body(#""colour": "red""#), 400, ["/colour unknown-field"]),
            (#"["title"]"#, 400, [" wrong-type"]),
            (
                Self.body(#""questions": [{"key": "a", "kind": "text", "title": ""}]"#), 422,
                ["/questions/0/title required"]
            ),
        ]
        try await TestService.run { service in
            for (body, status, faults) in cases {
                let response = try await service.host.post("/v1/meetings", json: body)
                #expect(response.status == status && response.faults == faults, "\(body): \(response.text)")
            }
            #expect(try await service.host.get("/v1/meetings").decoded(as: MeetingList.self).items.isEmpty)
        }
    }

    @Test(arguments: [
        "Foo3", "Mars/Olympus", "CET-1CEST", "+02:00", "posix/Europe/Berlin", "", " UTC", "europe/berlin",
    ])
    func unknownTimeZoneIsRefused(zone: String) async throws {
        try await TestService.run { service in
            let body = Self.body(Self.times("2027-03-01T09:00:00Z", "2027-03-01T10:00:00Z", zone: zone))
            let response = try await service.host.post("/v1/meetings", json: body)
            #expect(response.status == 422 && response.faults == ["/timeZone unknown-time-zone"], "\(response.text)")
        }
    }

    /// The earliest and the latest times of RFC 3339 are either stored exactly or refused as invalid. They never cause
    /// a 500.
    @Test func extremeTimesAreStoredOrRefused() async throws {
        try await TestService.run { service in
            for (start, end) in [
                ("0000-01-01T00:00:00Z", "0000-01-02T00:00:00Z"), ("9999-12-30T00:00:00Z", "9999-12-31T23:59:59Z"),
            ] {
                let response = try await service.host.post("/v1/meetings", json: Self.body(Self.times(start, end)))
                #expect([201, 422].contains(response.status), "\(response.text)")
                if response.status == 201 { #expect(response.json?["startsAt"] == .string(start)) }
            }
        }
    }

    @Test func oneOfTwentyOverlappingMeetingsIsCreated() async throws {
        try await TestService.run { service in
            let responses = try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await service.host.post("/v1/meetings", json: Self.body(Self.morning)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.count { $0.status == 201 } == 1)
            #expect(responses.count { $0.status == 409 && $0.problem == "meeting-overlap" } == 19)
        }
    }

    @Test func onlyDatedMeetingsOfOneHostOverlap() async throws {
        let inside = Self.times("2027-03-01T09:59:00Z", "2027-03-01T11:00:00Z")
        let backToBack = Self.times("2027-03-01T10:00:00Z", "2027-03-01T11:00:00Z")
        try await TestService.run { service in
            let cases: [(String, HTTPTestClient, Int)] = [
                (Self.morning, service.host, 201), (inside, service.host, 409),
                (inside + #", "allowOverlap": true"#, service.host, 201), (inside, service.other, 201),
                (backToBack, service.host, 201), (#""place": "x""#, service.host, 201),
                (#""place": "x""#, service.host, 201),
            ]
            for (members, client, status) in cases {
                let response = try await client.post("/v1/meetings", json: Self.body(members))
                #expect(response.status == status, "\(members): \(response.text)")
            }
        }
    }

    @Test func meetingInTheTrashIsNotFoundAndBlocksNoTime() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(members: Self.morning)
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            #expect(try await service.host.delete(meeting.path).status == 204)
            #expect(try await service.host.delete(meeting.path).status == 404)
            let paths = [
                meeting.path, "\(meeting.path)/form", "\(meeting.path)/results", "\(meeting.path)/export/summary.csv",
            ]
            for path in paths { #expect(try await service.host.get(path).status == 404, "\(path)") }
            #expect(try await service.anyone.get(meeting.formPath).status == 404)
            let late = try await meeting.submit(#"{"pace": 3}"#)
            #expect(late.status == 404 && late.problem == "not-found")
            #expect(try await meeting.perform("reopen").status == 404)
            #expect(try await service.host.post("/v1/meetings", json: Self.body(Self.morning)).status == 201)
            let trash = try await service.host.get("/v1/meetings?state=trash").decoded(as: MeetingList.self)
            #expect(trash.items.map(\.id.description) == [meeting.id])
        }
    }

    @Test func meetingOfAnotherHostIsNotFound() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let random = "/v1/meetings/\(UUID().uuidString.lowercased())"
            for path in ["", "/form", "/results", "/results/better/answers", "/export/summary.csv"] {
                let foreign = try await service.other.get(meeting.path + path)
                let missing = try await service.other.get(random + path)
                #expect(foreign.status == 404 && missing.status == 404, "\(path)")
                #expect(
                    foreign.json?["title"] == missing.json?["title"]
                        && foreign.json?["detail"] == missing.json?["detail"])
            }
            for verb in ["publish", "close", "reopen"] {
                #expect(try await service.other.post("\(meeting.path)/form/\(verb)").status == 404)
            }
            let edit = try await service.other.put("\(meeting.path)/form", json: "nonsense", headers: ["If-Match": "*"])
            #expect(edit.status == 404, "existence is checked before the body")
            #expect(try await service.other.delete(meeting.path).status == 404)
            #expect(try await service.other.get("/v1/series/\(meeting.seriesID)/export/meetings.csv").status == 404)
            #expect(try await service.host.get("/v1/meetings/nonsense").status == 404)
            #expect(try await service.admin.get(meeting.path).status == 200)
        }
    }
}
