import Contract
import Cryptography
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct MeetingListing {
    private static func make(
        _ title: String, from start: TimeInterval? = nil, to end: TimeInterval = 0, by host: HTTPTestClient
    ) async throws -> String {
        var times = ""
        if let start {
            let instants = [start, end].map { RFC3339.format(Date(timeIntervalSinceNow: $0)) }
            times = ", \"startsAt\": \"\(instants[0])\", \"endsAt\": \"\(instants[1])\", \"timeZone\": \"UTC\""
        }
        let body = "{\"title\": \(JSONValue.string(title).text)\(times)}"
        return try await host.post("/v1/meetings", json: body).expect(201).string("id")
    }

    private static func page(_ query: String, _ host: HTTPTestClient) async throws -> MeetingList {
        try await host.get("/v1/meetings?\(query)").expect(200).decoded()
    }

    private static func titles(_ query: String, _ host: HTTPTestClient) async throws -> [String] {
        try await page(query, host).items.map(\.title)
    }

    @Test func pagesNeitherSkipNorRepeatWhileMeetingsArrive() async throws {
        try await TestService.run { service in
            var created: Set<String> = []
            for day in 1...4 {
                let start = Double(day) * 86_400
                created.insert(try await Self.make("Day \(day)", from: start, to: start + 60, by: service.host))
                created.insert(try await Self.make("Undated \(day)", by: service.host))
            }
            var listedIDs: [String] = []
            var cursor: String?
            var pages = 0
            repeat {
                let query = "limit=3" + (cursor.map { "&cursor=\($0)" } ?? "")
                let page = try await Self.page(query, service.host)
                listedIDs += page.items.map(\.id.description)
                cursor = page.next
                pages += 1
                _ = try await Self.make(
                    "Later \(pages)", from: Double(pages + 10) * 86_400, to: Double(pages + 10) * 86_400 + 60,
                    by: service.host)
                _ = try await Self.make("Newer \(pages)", by: service.host)
            } while cursor != nil && pages < 20
            #expect(Set(listedIDs).count == listedIDs.count, "no duplicates")
            #expect(created.subtracting(listedIDs) == [], "nothing is omitted")
            #expect(pages >= 3)
        }
    }

    @Test func lastPageHasNoCursor() async throws {
        try await TestService.run { service in
            for number in 1...4 { _ = try await Self.make("Meeting \(number)", by: service.host) }
            let first = try await Self.page("limit=2", service.host)
            let last = try await Self.page("limit=2&cursor=\(try #require(first.next))", service.host)
            #expect(first.items.count == 2 && last.items.count == 2 && last.next == nil)
            #expect(try await Self.page("limit=4", service.host).next == nil)
            let meeting = try await service.openMeeting()
            for number in 1...4 { try await meeting.submit("{\"better\": \"\(number)\"}").expect(201) }
            let path = "\(meeting.path)/results/better/answers?limit="
            let texts = try await service.host.get(path + "2").expect(200).decoded(as: TextAnswers.self)
            let lastTexts = try await service.host.get(path + "2&cursor=\(try #require(texts.next))").expect(200)
                .decoded(as: TextAnswers.self)
            #expect(lastTexts.items.map(\.text) == ["2", "1"] && lastTexts.next == nil)
            #expect(try await service.host.get(path + "4").decoded(as: TextAnswers.self).next == nil)
        }
    }

    @Test func newestStartIsFirstAndUndatedMeetingsAreLast() async throws {
        try await TestService.run { service in
            _ = try await Self.make("undated", by: service.host)
            _ = try await Self.make("late", from: 7200, to: 7300, by: service.host)
            _ = try await Self.make("early", from: 3600, to: 3700, by: service.host)
            #expect(try await Self.titles("", service.host) == ["late", "early", "undated"])
            #expect(try await Self.titles("", service.admin) == ["late", "early", "undated"], "an admin sees all")
            #expect(try await Self.titles("", service.other) == [])
        }
    }

    @Test func filtersNarrowTheList() async throws {
        try await TestService.run { service in
            _ = try await Self.make("Ended 100%_x", from: -7200, to: -3600, by: service.host)
            _ = try await Self.make("Running ÄPFEL", from: -600, to: 600, by: service.host)
            _ = try await Self.make("Upcoming", from: 7200, to: 9000, by: service.host)
            _ = try await Self.make("Undated", by: service.host)
            let host = service.host
            #expect(try await Self.titles("state=upcoming", host) == ["Upcoming"])
            #expect(try await Self.titles("state=running", host) == ["Running ÄPFEL"])
            #expect(try await Self.titles("state=ended", host) == ["Ended 100%_x"])
            #expect(try await Self.titles("state=trash", host) == [])
            #expect(try await Self.titles("q=%C3%A4pfel", host) == ["Running ÄPFEL"])
            #expect(try await Self.titles("q=0%25_", host) == ["Ended 100%_x"])
            #expect(try await Self.titles("q=%25", host) == ["Ended 100%_x"], "a wildcard is an ordinary character")
            let now = RFC3339.format(Date())
            #expect(try await Self.titles("from=\(now)", host) == ["Upcoming"])
            #expect(try await Self.titles("to=\(now)", host) == ["Running ÄPFEL", "Ended 100%_x"])
            #expect(try await Self.titles("from=2020-01-01&to=2020-01-02", host) == [])
        }
    }

    @Test func invalidQueriesNameTheParameter() async throws {
        let far = "m:9223372036854775807:\(UUID().uuidString)"
        let forged = Base64URL.encode(Array(far.utf8))
        let cases: [(String, [String])] = [
            ("limit=0", ["?limit out-of-range"]), ("limit=201", ["?limit out-of-range"]),
            ("limit=-1", ["?limit out-of-range"]), ("from=2027-01-02&to=2027-01-01", ["?to ends-before-start"]),
            ("limit=ten", ["?limit not-an-integer"]),
            ("limit=99999999999999999999", ["?limit not-an-integer"]),
            ("cursor=nonsense", ["?cursor invalid-cursor"]), ("cursor=", ["?cursor invalid-cursor"]),
            ("cursor=\(forged)", ["?cursor invalid-cursor"]),
            ("state=gone&from=never", ["?state unknown-choice", "?from invalid-time"]),
            ("q=a&q=b", ["?q repeated-parameter"]), ("page=2", ["?page unknown-parameter"]),
            ("q=%ff", ["? invalid-encoding"]), ("q=%00", ["? invalid-encoding"]),
        ]
        try await TestService.run { service in
            for limit in [1, 200] { #expect(try await service.host.get("/v1/meetings?limit=\(limit)").status == 200) }
            for (query, faults) in cases {
                let response = try await service.host.get("/v1/meetings?\(query)")
                #expect(response.status == 422 && response.faults == faults, "\(query): \(response.text)")
            }
        }
    }

    @Test func modifiedCursorIsRefused() async throws {
        try await TestService.run { service in
            for _ in 0..<2 { _ = try await Self.make("A", by: service.host) }
            let next = try #require(try await Self.page("limit=1", service.host).next)
            for cursor in [String(next.dropLast(3)), next + "A", String(next.reversed())] {
                let response = try await service.host.get("/v1/meetings?cursor=\(cursor)")
                #expect(response.status == 422 && response.faults == ["?cursor invalid-cursor"], "\(cursor)")
            }
            let meeting = try await service.openMeeting()
            for _ in 0..<2 { try await meeting.submit(#"{"better": "x"}"#).expect(201) }
            let path = "\(meeting.path)/results/better/answers"
            let texts = try await service.host.get("\(path)?limit=1").expect(200).decoded(as: TextAnswers.self)
            let other = try #require(texts.next)
            #expect(try await service.host.get("\(path)?cursor=\(other)").status == 200)
            #expect(
                try await service.host.get("/v1/meetings?cursor=\(other)").status == 422,
                "the cursor belongs to another list")
            #expect(try await service.host.get("\(path)?cursor=\(next)").status == 422)
        }
    }

    /// A list of many meetings with many people takes long.
    @Test func listsOfOneAccountLeaveConnectionsForOthers() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await holder.script("BEGIN; LOCK TABLE attendee IN ACCESS EXCLUSIVE MODE")
            try await withThrowingTaskGroup(of: Int.self) { group in
                // More requests than there are connections.
                for _ in 0..<16 { group.addTask { try await service.host.get("/v1/meetings").status } }
                try await service.fixture.database.waitUntilBlocked(1)
                for _ in 0..<8 { try await service.anyone.get(meeting.formPath).expect(200) }
                try await holder.script("ROLLBACK")
                await holder.close()
                for try await status in group { #expect([200, 503].contains(status)) }
            }
            try await service.host.get("/v1/meetings").expect(200)
        }
    }
}
