import Contract
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(15))) struct MeetingTrash {
    private static let times =
        #""startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC""#

    private static func age(_ meeting: TestMeeting, days: Double, _ service: TestService) async throws {
        let id = try #require(UUID(uuidString: meeting.id))
        try await service.sql(
            """
            UPDATE meeting SET deleted_at = now() - \(days)::float8 * interval '1 day',
                purges_at = now() + (30 - \(days)::float8) * interval '1 day'
            WHERE id = \(id)
            """)
    }

    @Test func restoredMeetingsAreUnchanged() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(members: Self.times)
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            #expect(try await service.host.post("\(meeting.path)/restore").status == 404, "it is not in the trash")
            try await service.host.delete(meeting.path).expect(204)
            let listed = try await service.host.get("/v1/meetings?state=trash").expect(200)
            let trashed = try listed.decoded(as: MeetingList.self).items[0]
            let deletedAt = try #require(trashed.deletedAt)
            let purgesAt = try #require(trashed.purgesAt)
            #expect(abs(purgesAt.timeIntervalSince(deletedAt) - 30 * 86_400) < 0.01)
            #expect(try await service.anyone.get(meeting.formPath).status == 404)
            let restored = try await service.host.post("\(meeting.path)/restore").expect(200)
            #expect(restored.json?["purgesAt"] == .null)
            #expect(restored.json?["deletedAt"] == .null && restored.json?["submissions"] == .number("1"))
            #expect(restored.json == (try await service.host.get(meeting.path).expect(200)).json)
            try await meeting.submit(#"{"pace": 2}"#).expect(201)
            #expect(try await meeting.results().expect(200).json?["submissions"] == .number("2"))
        }
    }

    @Test func restoreReportsOverlappingMeetings() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting(members: Self.times)
            try await service.host.delete(meeting.path).expect(204)
            let overlapping = try await service.meeting(members: Self.times)
            let refused = try await service.host.post("\(meeting.path)/restore")
            #expect(refused.status == 409 && refused.problem == "meeting-overlap")
            #expect(refused.json?["conflicts"]?.array?.map { $0["id"]?.string } == [overlapping.id])
            #expect(try await service.host.get(meeting.path).status == 404, "it is still in the trash")
            try await service.host.delete(overlapping.path).expect(204)
            try await service.host.post("\(meeting.path)/restore").expect(200)
        }
    }

    @Test func restoringAMeetingRestoresItsSeriesForTheOwner() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let (series, next) = ("/v1/series/\(meeting.seriesID)", "/v1/series/\(meeting.seriesID)/meetings")
            let second = try TestMeeting(
                created: try await service.host.post(next), host: service.host, anyone: service.anyone)
            try await service.host.post("\(series)/hosts", json: #"{"email": "other@example.org", "role": "editor"}"#)
                .expect(201)
            try await service.host.delete(series).expect(204)
            #expect(try await service.host.post(next).status == 404)
            #expect(
                try await service.other.post("\(meeting.path)/restore").status == 403,
                "an editor may not restore the series")
            #expect(try await service.host.get(series).status == 404)
            try await service.host.post("\(meeting.path)/restore").expect(200)
            let entries = try await service.admin.get("/v1/admin/audit?act=series.restore").expect(200)
            #expect(entries.json?["items"]?.array?.count == 1)
            #expect(try await service.host.get(series).expect(200).json?["rounds"] == .number("1"))
            #expect(try await service.host.get(second.path).status == 404, "the other rounds stay in the trash")
            try await service.other.post("\(second.path)/restore").expect(200)
            try await service.host.post(next).expect(201)
        }
    }

    @Test func adminRestoresTheSeriesOfADeletedOwner() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await service.host.post(
                "/v1/series/\(meeting.seriesID)/hosts", json: #"{"email": "other@example.org", "role": "editor"}"#
            ).expect(201)
            try await service.host.delete("/v1/me").expect(204)
            #expect(try await service.other.post("\(meeting.path)/restore").status == 403)
            try await service.admin.post("\(meeting.path)/restore").expect(200)
            try await service.other.get(meeting.path).expect(200)
        }
    }

    @Test func trashingAndRestoringHonourIfMatch() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let series = "/v1/series/\(meeting.seriesID)"
            for (path, kind) in [(meeting.path, "meeting"), (series, "series")] {
                let stale = try #require(try await service.host.get(path).expect(200)["ETag"])
                try await service.patch(path, #"{"title": "Other words"}"#, match: stale).expect(200)
                let current = try #require(try await service.host.get(path).expect(200)["ETag"])
                func send(_ method: String, _ target: String, _ tag: String, _ body: String? = nil) async throws -> Int
                {
                    try await service.host.send(
                        method, target, body: body.map { Array($0.utf8) }, headers: ["If-Match": tag]
                    ).status
                }
                #expect(try await send("DELETE", path, stale) == 412, "\(kind)")
                #expect(try await send("DELETE", path, current) == 204, "\(kind)")
                #expect(
                    try await send("POST", path + "/restore", current) == 412, "moving to the trash has changed the tag"
                )
                #expect(try await send("POST", path + "/restore", "*") == 200, "\(kind)")
                guard kind == "series" else { continue }
                let newOwner = #"{"email": "other@example.org"}"#
                #expect(try await send("POST", path + "/transfer", stale, newOwner) == 412)
                let now = try #require(try await service.host.get(path).expect(200)["ETag"])
                #expect(try await send("POST", path + "/transfer", now, newOwner) == 200)
            }
        }
    }

    @Test func trashIsDeletedAfterThirtyDays() async throws {
        try await TestService.run { service in
            let tables: [String] = [
                "meeting", "form", "form_state", "form_salt", "form_version", "question", "submission", "tally",
                "timeline", "attendee", "meeting_image",
            ]
            func counts() async throws -> [Int] {
                var counts: [Int] = []
                for table in tables {
                    let rows = try await service.fixture.store.pool.query("SELECT count(*) FROM \(identifier: table)")
                    counts.append(try #require(rows.first).decode(Int.self))
                }
                return counts
            }
            func addMeeting() async throws -> TestMeeting {
                let meeting = try await service.openMeeting()
                try await meeting.submit(#"{"pace": 4, "better": "x"}"#).expect(201)
                let id = try #require(UUID(uuidString: meeting.id))
                try await service.sql(
                    "INSERT INTO attendee (id, meeting_id, name) VALUES (gen_random_uuid(), \(id), 'Ann')")
                try await service.addImage(to: id)
                return meeting
            }
            let active = try await addMeeting()
            let countsOfOne = try await counts()
            let recent = try await addMeeting()
            let countsOfTwo = try await counts()
            #expect(countsOfTwo == countsOfOne.map { $0 * 2 } && !countsOfOne.contains(0))
            let old = try await addMeeting()
            for meeting in [recent, old] { try await service.host.delete(meeting.path).expect(204) }
            try await Self.age(recent, days: 29.9, service)
            try await Self.age(old, days: 31, service)
            #expect(try await service.host.post("\(old.path)/restore").status == 404, "thirty days have passed")
            try await service.fixture.store.sweep()
            #expect(try await counts() == countsOfTwo)
            let entries = try await service.auditTrail(of: "meeting.delete")
            #expect(entries.map(\.account) == [service.fixture.host.account.id])
            #expect(entries.map(\.detail) == [#"{"automatic": true}"#])
            #expect(try await service.fixture.store.purgeMeetings() == 0)
            #expect(try await service.fixture.store.purgeSeries() == 0)
            try await service.host.post("\(recent.path)/restore").expect(200)
            #expect(try await active.results().expect(200).json?["submissions"] == .number("1"))
            #expect(try await recent.results().expect(200).json?["submissions"] == .number("1"))
        }
    }

    /// Meetings and series in the trash keep the date of their permanent deletion when the setting changes.
    @Test func newTrashPeriodAppliesOnlyToLaterDeletions() async throws {
        try await TestService.run { service in
            let store = service.fixture.store
            let (before, after) = (try await service.meeting(), try await service.meeting())
            func days(_ path: String) async throws -> [Int?] {
                let items = try await service.host.get(path + "?state=trash").expect(200).json?["items"]?.array ?? []
                return items.map { item in
                    let dates = ["purgesAt", "deletedAt"].compactMap { item[$0]?.string.flatMap(RFC3339.parse) }
                    return dates.count == 2 ? Int((dates[0].timeIntervalSince(dates[1]) / 86_400).rounded()) : nil
                }
            }
            try await service.host.delete(before.path).expect(204)
            #expect(try await store.apply(RetentionSettings(trashDays: 3)))
            #expect(try await !store.apply(RetentionSettings(trashDays: 3)), "nothing has changed")
            #expect(try await days("/v1/meetings") == [30])
            try await service.host.delete("/v1/series/\(after.seriesID)").expect(204)
            #expect(try await days("/v1/series") == [3])
            #expect(try await Set(days("/v1/meetings")) == [3, 30])
        }
    }

    /// If the service is killed in between, committed batches stay deleted, and the next run deletes the rest.
    @Test func largeMeetingIsDeletedInBatches() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            for pace in 1...5 { try await meeting.submit("{\"pace\": \(pace)}").expect(201) }
            try await service.host.delete(meeting.path).expect(204)
            try await Self.age(meeting, days: 31, service)
            let pool = service.fixture.store.pool
            let purge = TrashPurge(pool: pool, batch: 2)
            let holder = try await service.superuserConnection()
            try await holder.script("BEGIN; LOCK TABLE tally IN ACCESS EXCLUSIVE MODE")
            async let purged = purge.purgeMeetings()
            try await service.fixture.database.waitUntilBlocked(1)
            let remainingCount = try await pool.query("SELECT count(*) FROM submission").single().decode(Int.self)
            #expect(remainingCount == 1, "two batches are committed before the last transaction")
            try await holder.script("ROLLBACK")
            await holder.close()
            #expect(try await purged == 1)
            let finalCount = try await pool.query("SELECT count(*) FROM submission").single().decode(Int.self)
            #expect(finalCount == 0)
        }
    }

    @Test func seriesIsDeletedWithItsLastRound() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let second = try TestMeeting(
                created: try await service.host.post("/v1/series/\(meeting.seriesID)/meetings"), host: service.host,
                anyone: service.anyone)
            let seriesID = try #require(UUID(uuidString: meeting.seriesID))
            try await service.sql(
                "INSERT INTO person (series_id, email, code) VALUES (\(seriesID), 'a@example.org', '0123456789abc')")
            try await service.sql(
                """
                INSERT INTO member (id, series_id, name, email)
                VALUES (gen_random_uuid(), \(seriesID), 'A', 'a@example.org')
                """)
            for meeting in [meeting, second] { try await service.host.delete(meeting.path).expect(204) }
            try await service.sql(
                """
                UPDATE series SET deleted_at = now() - interval '40 days', purges_at = now() - interval '10 days'
                WHERE id = \(seriesID)
                """)
            try await Self.age(meeting, days: 40, service)
            let store = service.fixture.store
            #expect(try await store.purgeMeetings() == 1)
            #expect(try await store.purgeSeries() == 0, "a round still belongs to the series")
            try await Self.age(second, days: 40, service)
            #expect(try await store.purgeMeetings() == 1)
            #expect(try await store.purgeSeries() == 1)
            #expect(try await service.auditTrail(of: "series.delete").count == 1)
            for table in ["series", "member", "person"] {
                let rows = try await store.pool.query("SELECT count(*) FROM \(identifier: table)")
                #expect(try rows.first?.decode(Int.self) == 0, "\(table)")
            }
        }
    }
}
