import Contract
import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SeriesListing {
    private static func titles(_ response: HTTPTestClient.Response) throws -> [String] {
        try response.expect(200).decoded(as: SeriesList.self).items.map(\.title)
    }

    @Test func seriesShowTheirLatestRoundWithItsCounters() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            let id = try #require(UUID(uuidString: meeting.id))
            try await service.sql(
                """
                INSERT INTO attendee (id, meeting_id, name, status)
                VALUES (gen_random_uuid(), \(id), 'A', 'present'), (gen_random_uuid(), \(id), 'B', 'late'),
                    (gen_random_uuid(), \(id), 'C', 'expected')
                """)
            try await service.addImage(to: id)
            let list = try await service.host.get("/v1/series").expect(200).decoded(as: SeriesList.self)
            let series = try #require(list.items.first)
            #expect(list.items.count == 1 && list.next == nil)
            #expect(series.title == "A meeting" && series.role == "owner" && series.rounds == 1)
            #expect(series.owner.name == "Hanna Host" && series.code.utf8.count == 13)
            let latest = try #require(series.latest)
            #expect(latest.id.description == meeting.id && latest.round == 1)
            #expect(latest.attended == 2 && latest.submissions == 1)
            #expect(latest.image == "/v1/meetings/\(meeting.id)/image")
            let one = try await service.host.get("/v1/series/\(meeting.seriesID)").expect(200)
            #expect(try one.decoded(as: Series.self) == series)
        }
    }

    @Test func roundInTheTrashIsNotTheLatest() async throws {
        try await TestService.run { service in
            let (first, second) = (try await service.meeting(), try await service.meeting())
            let (secondID, seriesID) = (try #require(UUID(uuidString: second.id)), first.seriesID)
            let series = try #require(UUID(uuidString: seriesID))
            try await service.sql("UPDATE meeting SET series_id = \(series), round = 2 WHERE id = \(secondID)")
            let path = "/v1/series/\(seriesID)"
            #expect(try await service.host.get(path).decoded(as: Series.self).latest?.round == 2)
            let rounds = try await service.host.get("\(path)/meetings?limit=1").decoded(as: MeetingList.self)
            #expect(rounds.items.map(\.round) == [2])
            let next = try #require(rounds.next)
            let secondPage = try await service.host.get("\(path)/meetings?cursor=\(next)").decoded(as: MeetingList.self)
            #expect(secondPage.items.map(\.round) == [1] && secondPage.next == nil)
            try await service.host.delete(second.path).expect(204)
            let after = try await service.host.get(path).decoded(as: Series.self)
            #expect(after.latest?.round == 1 && after.rounds == 1)
        }
    }

    @Test func hostsSeeTheirOwnAndSharedSeriesAndAdminsSeeAll() async throws {
        try await TestService.run { service in
            let shared = try await service.meeting(members: #""place": "here""#)
            _ = try await service.meeting(by: service.admin)
            _ = try await service.meeting(by: service.other)
            let seriesID = try #require(UUID(uuidString: shared.seriesID))
            try await service.sql(
                """
                INSERT INTO series_host (series_id, account_id, role)
                SELECT \(seriesID), id, 'viewer' FROM account WHERE email = 'other@example.org'
                """)
            let list = try await service.other.get("/v1/series").expect(200).decoded(as: SeriesList.self)
            #expect(list.items.map(\.role) == ["owner", "viewer"])
            #expect(list.items.last?.id.description == shared.seriesID)
            #expect(try Self.titles(await service.admin.get("/v1/series")).count == 3)
            #expect(try await service.other.get("/v1/series/\(shared.seriesID)").status == 200)
        }
    }

    @Test func pagesNeitherSkipNorRepeatWhileSeriesArrive() async throws {
        try await TestService.run { service in
            for number in 1...5 {
                try await service.host.post("/v1/meetings", json: "{\"title\": \"S\(number)\"}").expect(201)
            }
            // Several series have the same creation time, as after an import.
            try await service.sql("UPDATE series SET created_at = '2026-01-01' WHERE title IN ('S2', 'S3', 'S4')")
            var listedTitles: [String] = []
            var path = "/v1/series?limit=2"
            for page in 0..<5 {
                let list = try await service.host.get(path).expect(200).decoded(as: SeriesList.self)
                listedTitles += list.items.map(\.title)
                if page == 0 { try await service.host.post("/v1/meetings", json: #"{"title": "New"}"#).expect(201) }
                guard let next = list.next else { break }
                path = "/v1/series?limit=2&cursor=\(next)"
            }
            #expect(listedTitles == ["S5", "S1", "S4", "S3", "S2"])
        }
    }

    @Test func currentOrderListsRunningAndOpenSeriesFirst() async throws {
        try await TestService.run { service in
            for (title, start, zone) in [
                ("planned", "2040-01-01T09:00:00Z", "UTC"), ("old", "2020-01-01T23:30:00Z", "Asia/Seoul"),
                ("open", "2021-01-01T09:00:00Z", "UTC"), ("shut", "2022-01-01T09:00:00Z", "UTC"),
            ] {
                let end = start.replacing(":00:00Z", with: ":59:00Z").replacing(":30:00Z", with: ":59:00Z")
                try await service.host.post(
                    "/v1/meetings",
                    json: """
                        {"title": "\(title)", "startsAt": "\(start)", "endsAt": "\(end)", "timeZone": "\(zone)",
                         "questions": \(TestStore.questions)}
                        """
                ).expect(201)
            }
            try await service.host.post("/v1/meetings", json: #"{"title": "undated"}"#).expect(201)
            try await service.host.post("/v1/meetings", json: #"{"title": "running"}"#).expect(201)
            try await service.sql(
                """
                UPDATE meeting SET starts_at = now() - interval '1 hour', ends_at = now() + interval '1 hour'
                WHERE title = 'running'
                """)
            let initialList = try await service.host.get("/v1/series?order=current").expect(200).decoded(
                as: SeriesList.self)
            for title in ["open", "shut"] {
                let id = try #require(initialList.items.first { $0.title == title }?.latest?.id)
                try await service.host.post("/v1/meetings/\(id)/form/publish", json: "{}").expect(200)
                if title == "shut" { try await service.host.post("/v1/meetings/\(id)/form/close").expect(200) }
            }
            #expect(initialList.items.first { $0.title == "old" }?.latest?.timeZone == "Asia/Seoul")
            var (listedTitles, path) = ([String](), "/v1/series?order=current&limit=1")
            while listedTitles.count < 10 {
                let list = try await service.host.get(path).expect(200).decoded(as: SeriesList.self)
                listedTitles += list.items.map(\.title)
                guard let next = list.next else { break }
                path = "/v1/series?order=current&limit=1&cursor=\(next)"
                #expect(try await service.host.get("/v1/series?cursor=\(next)").faults == ["?cursor invalid-cursor"])
            }
            #expect(listedTitles == ["running", "open", "planned", "undated", "shut", "old"])
            let newest = try Self.titles(await service.host.get("/v1/series?limit=2"))
            #expect(newest == ["running", "undated"], "the default order is unchanged")
            #expect(try await service.other.get("/v1/series?order=current").decoded(as: SeriesList.self).items.isEmpty)
            let matches = try Self.titles(await service.admin.get("/v1/series?order=current&q=U"))
            #expect(matches == ["running", "undated", "shut"])
            #expect(try await service.host.get("/v1/series?order=odd").faults == ["?order unknown-choice"])
        }
    }

    @Test func searchIsLiteralAndIgnoresCase() async throws {
        try await TestService.run { service in
            for title in ["Über 100% sure", "Other"] {
                try await service.host.post("/v1/meetings", json: "{\"title\": \"\(title)\"}").expect(201)
            }
            #expect(try Self.titles(await service.host.get("/v1/series?q=%C3%BCBER")) == ["Über 100% sure"])
            #expect(try Self.titles(await service.host.get("/v1/series?q=0%25")) == ["Über 100% sure"])
            #expect(try Self.titles(await service.host.get("/v1/series?q=%25")) == ["Über 100% sure"])
            #expect(try Self.titles(await service.host.get("/v1/series?q=_")) == [])
            let invalid = try await service.host.get("/v1/series?state=gone&limit=0&cursor=x")
            #expect(invalid.status == 422)
            #expect(
                invalid.faults.sorted() == ["?cursor invalid-cursor", "?limit out-of-range", "?state unknown-choice"])
            #expect(try await service.host.get("/v1/meetings?cursor=czowOjA").faults == ["?cursor invalid-cursor"])
        }
    }
}
