import Contract
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SeriesEditing {
    @Test func editRequiresTheCurrentRevision() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let path = "/v1/series/\(meeting.seriesID)"
            let tag = try #require(try await service.host.get(path)["ETag"])
            #expect(try await service.host.get(path, headers: ["If-None-Match": tag]).status == 304)
            let unconditional = try await service.patch(path, #"{"title": "B"}"#)
            #expect(unconditional.status == 428)
            // A submission changes the tag of a read but does not make an edit stale.
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            #expect(try await service.host.get(path, headers: ["If-None-Match": tag]).status == 200)
            let renamed = try await service.patch(path, #"{"title": "B"}"#, match: tag).expect(200)
            #expect(try renamed.decoded(as: Series.self).title == "B" && renamed["ETag"] != tag)
            let stale = try await service.patch(path, #"{"title": "C"}"#, match: tag)
            #expect(stale.status == 412 && stale.problem == "precondition-failed")
            let newTag = try #require(renamed["ETag"])
            let same = try await service.patch(path, "{}", match: newTag).expect(200)
            #expect(same["ETag"] == newTag)
        }
    }

    @Test(arguments: [
        (#"{"title": null}"#, 422, ["/title required"]), (#"{"title": " "}"#, 422, ["/title required"]),
        (#"{"title": 1, "owner": "x"}"#, 400, ["/title wrong-type", "/owner unknown-field"]),
        ("{\"title\": \"\(String(repeating: "x", count: 301))\"}", 422, ["/title too-long"]),
    ])
    func invalidTitleIsRefused(body: String, status: Int, faults: [String]) async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let response = try await service.patch("/v1/series/\(meeting.seriesID)", body, match: "*")
            #expect(response.status == status && response.faults == faults)
        }
    }

    @Test func trashedSeriesAcceptsNothingAndIsRestoredCompletely() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let path = "/v1/series/\(meeting.seriesID)"
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            try await service.host.delete(path).expect(204)
            #expect(try await service.host.get(path).status == 404)
            #expect(try await service.host.get(meeting.path).status == 404)
            #expect(try await service.host.get("\(path)/meetings").status == 404)
            #expect(try await meeting.submit(#"{"pace": 3}"#).status == 404)
            #expect(try await service.host.delete(path).status == 404)
            #expect(try await service.host.get("/v1/series").decoded(as: SeriesList.self).items.isEmpty)
            let trash = try await service.host.get("/v1/series?state=trash").decoded(as: SeriesList.self)
            #expect(trash.items.count == 1 && trash.items[0].deletedAt != nil && trash.items[0].rounds == 1)
            let back = try await service.host.post("\(path)/restore").expect(200).decoded(as: Series.self)
            #expect(back.latest?.submissions == 1 && back.deletedAt == nil)
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            #expect(try await service.host.post("\(path)/restore").status == 404)
        }
    }

    @Test func seriesCanBeRestoredForThirtyDays() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let id = try #require(UUID(uuidString: meeting.seriesID))
            try await service.host.delete("/v1/series/\(id)").expect(204)
            for (days, status) in [(Int32(31), 404), (-2, 200)] {
                let age: Statement = "make_interval(days => \(days))"
                for table in ["series", "meeting"] {
                    let column = table == "series" ? "id" : "series_id"
                    try await service.sql(
                        """
                        UPDATE \(identifier: table) SET deleted_at = \(fragment: .earlier("deleted_at", by: age)),
                            purges_at = \(fragment: .earlier("purges_at", by: age))
                        WHERE \(identifier: column) = \(id)
                        """)
                }
                #expect(try await service.host.post("/v1/series/\(id)/restore").status == status)
            }
            #expect(try await service.host.get(meeting.path).status == 200)
        }
    }

    @Test func overlappingMeetingsPreventTheRestoreOfASeries() async throws {
        try await TestService.run { service in
            let times = #""startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC""#
            let trashed = try await service.meeting(members: times)
            try await service.host.delete("/v1/series/\(trashed.seriesID)").expect(204)
            let overlapping = try await service.meeting(members: times)
            let refused = try await service.host.post("/v1/series/\(trashed.seriesID)/restore")
            #expect(refused.status == 409 && refused.problem == "meeting-overlap")
            #expect(refused.json?["conflicts"]?.array?.map { $0["id"]?.string } == [overlapping.id])
            #expect(try await service.host.get(trashed.path).status == 404)
            try await service.host.delete(overlapping.path).expect(204)
            try await service.host.post("/v1/series/\(trashed.seriesID)/restore").expect(200)
        }
    }

    @Test func noSubmissionIsAcceptedAfterTheDeletionIsAcknowledged() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let allStatuses = try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var statuses: [Int] = []
                        for _ in 0..<20 { statuses.append(try await meeting.submit(#"{"pace": 3}"#).status) }
                        return statuses
                    }
                }
                try await service.host.delete("/v1/series/\(meeting.seriesID)").expect(204)
                let statusAfterDeletion = try await meeting.submit(#"{"pace": 3}"#).status
                return try await group.reduce(into: [statusAfterDeletion]) { $0 += $1 }
            }
            #expect(allStatuses[0] == 404)
            #expect(Set(allStatuses).isSubset(of: [201, 404]))
        }
    }
}
