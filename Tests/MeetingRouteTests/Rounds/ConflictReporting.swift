import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ConflictReporting {
    private static func times(_ start: String, _ end: String) -> String {
        "\"startsAt\": \"2027-03-01T\(start)Z\", \"endsAt\": \"2027-03-01T\(end)Z\", \"timeZone\": \"UTC\""
    }

    private static func ids(_ response: HTTPTestClient.Response) -> [String?]? {
        response.json?["conflicts"]?.array?.map { $0["id"]?.string }
    }

    @Test func refusalShowsTheConflictingMeetings() async throws {
        try await TestService.run { service in
            let first = try await service.meeting(members: Self.times("09:00:00", "10:00:00"))
            let second = try await service.meeting(members: Self.times("10:00:00", "11:00:00"))
            let third = try await service.meeting(members: Self.times("12:00:00", "13:00:00"))
            let refused = try await service.host.post(
                "/v1/meetings", json: "{\"title\": \"B\", \(Self.times("09:30:00", "10:30:00"))}")
            #expect(refused.status == 409 && Self.ids(refused) == [first.id, second.id], "\(refused.text)")
            let conflict = try #require(refused.json?["conflicts"]?.array?.first)
            #expect(conflict["title"]?.string == "A meeting" && conflict["seriesId"]?.string == first.seriesID)
            #expect(conflict["startsAt"]?.string == "2027-03-01T09:00:00Z")
            #expect(conflict["endsAt"]?.string == "2027-03-01T10:00:00Z")

            let round = try await service.host.post(
                "/v1/series/\(third.seriesID)/meetings", json: "{\(Self.times("12:59:00", "14:00:00"))}")
            #expect(round.status == 409 && Self.ids(round) == [third.id])
            let moved = try await service.host.send(
                "PATCH", third.path, body: Array(#"{"startsAt": "2027-03-01T10:30:00Z"}"#.utf8),
                headers: ["If-Match": "*"])
            #expect(moved.status == 409 && Self.ids(moved) == [second.id], "a meeting does not conflict with itself")
            let allowed = try await service.host.send(
                "PATCH", third.path, body: Array(#"{"startsAt": "2027-03-01T10:30:00Z", "allowOverlap": true}"#.utf8),
                headers: ["If-Match": "*"])
            #expect(allowed.status == 200)
        }
    }

    /// An editor of one series learns when its owner is busy, and nothing else about the owner's other series.
    @Test func conflictsWithInvisibleMeetingsShowTheirTimesOnly() async throws {
        try await TestService.run { service in
            let hidden = try await service.meeting(members: Self.times("09:00:00", "10:00:00"))
            let shared = try await service.meeting()
            let seriesID = try #require(UUID(uuidString: shared.seriesID))
            try await service.sql(
                """
                INSERT INTO series_host (series_id, account_id, role)
                SELECT \(seriesID), id, 'editor' FROM account WHERE email = 'other@example.org'
                """)
            let refused = try await service.other.post(
                "/v1/series/\(shared.seriesID)/meetings", json: "{\(Self.times("09:30:00", "10:30:00"))}")
            #expect(refused.status == 409, "\(refused.text)")
            let conflict = try #require(refused.json?["conflicts"]?.array?.first)
            #expect(conflict["id"] == .null && conflict["title"] == .null && conflict["seriesId"] == .null)
            #expect(conflict["startsAt"]?.string == "2027-03-01T09:00:00Z")
            #expect(!refused.text.contains(hidden.id) && !refused.text.contains(hidden.seriesID))
            let query = "startsAt=2027-03-01T09:30:00Z&endsAt=2027-03-01T09:40:00Z"
            let availability = "/v1/meetings/availability?\(query)"
            let busy = try await service.other.get("\(availability)&seriesId=\(shared.seriesID)").expect(200)
            #expect(busy.json?["available"] == .bool(false) && busy.json?["conflicts"]?.array?.first == conflict)
            #expect(try await service.other.get(availability).expect(200).json?["available"] == .bool(true))
            #expect(try await service.other.get("\(availability)&seriesId=\(hidden.seriesID)").status == 404)
        }
    }

    @Test func availabilityShowsTheCallersConflicts() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times("09:00:00", "10:00:00"))
            _ = try await service.meeting(members: Self.times("14:00:00", "15:00:00") + #", "allowOverlap": true"#)
            let trashed = try await service.meeting(members: Self.times("16:00:00", "17:00:00"))
            try await service.host.delete(trashed.path).expect(204)
            func conflicts(_ start: String, _ end: String, _ client: HTTPTestClient) async throws -> [String?]? {
                let response = try await client.get(
                    "/v1/meetings/availability?startsAt=2027-03-01T\(start)Z&endsAt=2027-03-01T\(end)Z"
                ).expect(200)
                #expect(response.json?["available"] == .bool(response.json?["conflicts"]?.array?.isEmpty == true))
                return Self.ids(response)
            }
            #expect(try await conflicts("08:00:00", "09:00:01", service.host) == [meeting.id])
            #expect(try await conflicts("09:59:59", "12:00:00", service.host) == [meeting.id])
            #expect(try await conflicts("10:00:00", "12:00:00", service.host) == [])
            #expect(
                try await conflicts("13:00:00", "18:00:00", service.host) == [],
                "a meeting that allows overlaps or is in the trash does not conflict")
            #expect(try await conflicts("08:00:00", "18:00:00", service.other) == [])
            let faults: [(String, [String])] = [
                ("", ["?startsAt required", "?endsAt required"]),
                ("?startsAt=2027-03-01T09:00:00Z", ["?endsAt required"]),
                ("?startsAt=2027-03-01T09:00:00Z&endsAt=2027-03-01T09:00:00Z", ["?endsAt ends-before-start"]),
                ("?startsAt=nine&endsAt=2027-03-01", ["?startsAt invalid-time", "?endsAt invalid-time"]),
            ]
            for (query, expected) in faults {
                let response = try await service.host.get("/v1/meetings/availability" + query)
                #expect(response.status == 422 && response.faults == expected, "\(query): \(response.text)")
            }
        }
    }

    @Test func currentMeetingRunsOrIsTheNextToStart() async throws {
        try await TestService.run { service in
            func make(_ start: TimeInterval, _ end: TimeInterval, _ more: String = "") async throws -> TestMeeting {
                let instants = [start, end].map { RFC3339.format(Date(timeIntervalSinceNow: $0)) }
                return try await service.meeting(
                    members: """
                        "startsAt": "\(instants[0])", "endsAt": "\(instants[1])", "timeZone": "UTC"\(more)
                        """)
            }
            func current(_ client: HTTPTestClient) async throws -> String? {
                try await client.get("/v1/meetings/current").expect(200).json?["id"]?.string
            }
            #expect(try await service.host.get("/v1/meetings/current").status == 404)
            _ = try await service.meeting()
            _ = try await make(-7200, -3600)
            #expect(
                try await service.host.get("/v1/meetings/current").status == 404,
                "an ended or undated meeting is not current")
            let later = try await make(86_400, 90_000)
            #expect(try await current(service.host) == later.id)
            let next = try await make(3600, 7200)
            #expect(try await current(service.host) == next.id)
            let running = try await make(-1800, 1800)
            #expect(try await current(service.host) == running.id)
            let inside = try await make(-60, 600, #", "allowOverlap": true"#)
            #expect(try await current(service.host) == inside.id, "the meeting that started last")
            try await service.host.delete(inside.path).expect(204)
            #expect(try await current(service.host) == running.id)
            #expect(try await service.other.get("/v1/meetings/current").status == 404)
            let seriesID = try #require(UUID(uuidString: next.seriesID))
            try await service.sql(
                """
                INSERT INTO series_host (series_id, account_id, role)
                SELECT \(seriesID), id, 'viewer' FROM account WHERE email = 'other@example.org'
                """)
            #expect(try await current(service.other) == next.id, "meetings of shared series are included")
        }
    }
}
