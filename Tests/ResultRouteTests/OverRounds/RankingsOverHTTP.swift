import Contract
import Cryptography
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct RankingsOverHTTP {
    private static let rating = #"[{"key": "pace", "kind": "rating", "title": "Pace"}]"#

    private static func series(
        _ title: String, _ ratings: [Int], in service: TestService, settings: String? = nil,
        by owner: HTTPTestClient? = nil
    ) async throws -> TestMeeting {
        let host = owner ?? service.host
        let created = try await host.post("/v1/meetings", json: "{\"title\": \"\(title)\", \"questions\": \(rating)}")
        let meeting = try TestMeeting(created: created, host: host, anyone: service.anyone)
        if let settings { try await meeting.define("{\(settings), \"questions\": \(rating)}").expect(200) }
        try await meeting.perform("publish").expect(200)
        for value in ratings { try await meeting.rate(value) }
        return meeting
    }

    private static func ranking(_ client: HTTPTestClient, _ query: String = "key=pace&by=series") async throws
        -> Ranking
    {
        try await client.get("/v1/rankings?\(query)").expect(200).decoded(as: Ranking.self)
    }

    @Test func bestIsFirstAndFewAnswersWeighLess() async throws {
        try await TestService.run { service in
            _ = try await Self.series("One", [5], in: service)
            let many = try await Self.series("Many", [5, 5, 4, 5, 5, 5, 3, 5], in: service)
            let second = try await many.next()
            try await second.rate(5, 5)
            _ = try await Self.series("Poor", [1, 4, 2, 3, 5, 3], in: service)
            _ = try await Self.series("Nobody", [], in: service)

            let bySeries = try await Self.ranking(service.host)
            #expect(bySeries.key == "pace" && bySeries.by == "series" && bySeries.next == nil && bySeries.leftOut == 0)
            #expect(bySeries.items.map(\.title) == ["Many", "One", "Poor"] && bySeries.items.map(\.rank) == [1, 2, 3])
            #expect(bySeries.items.map(\.n) == [10, 1, 6] && bySeries.items.map(\.mean) == [4.7, 5, 3])
            #expect(bySeries.items[0].meetingId == nil && bySeries.scale == .init(min: 1, max: 5))
            let prior = try #require(bySeries.prior)
            #expect(prior.method == "buhlmann-straub" && prior.weight > 0)
            let credibilities = bySeries.items.map { Double($0.n) / (prior.weight + Double($0.n)) }
            let sum = zip(bySeries.items, credibilities).reduce(0) { $0 + $1.0.mean * $1.1 }
            #expect(abs(prior.mean - sum / credibilities.reduce(0, +)) < 1e-12)
            for item in bySeries.items {
                let shrunk = (prior.weight * prior.mean + item.mean * Double(item.n)) / (prior.weight + Double(item.n))
                #expect(abs(item.shrunk - shrunk) < 1e-12)
                #expect(item.low.map { $0 < item.shrunk } == true && item.high.map { $0 > item.shrunk } == true)
            }
            let byMeeting = try await Self.ranking(service.host, "key=pace&by=meeting")
            #expect(Set(byMeeting.items.compactMap(\.round)) == [1, 2] && byMeeting.items.count == 4)
            #expect(byMeeting.items.first { $0.meetingId?.description == second.id }?.n == 2)
            #expect(byMeeting.items.allSatisfy { $0.meetingId != nil && $0.series == $0.title })
        }
    }

    @Test func rankingCoversVisibleMeetingsOnly() async throws {
        try await TestService.run { service in
            let mine = try await Self.series("Mine", [4, 5], in: service)
            _ = try await Self.series("Theirs", [1, 2], in: service, by: service.other)
            #expect(try await Self.ranking(service.host).items.map(\.title) == ["Mine"])
            #expect(try await Self.ranking(service.other).items.map(\.title) == ["Theirs"])
            #expect(try await Self.ranking(service.admin).items.map(\.title) == ["Mine", "Theirs"])
            try await service.coHost(mine)
            #expect(try await Self.ranking(service.other).items.map(\.title) == ["Mine", "Theirs"])
            try await mine.host.delete(mine.path).expect(204)
            #expect(try await service.host.get("/v1/rankings?key=pace&by=series").faults == ["?key unknown-key"])
            #expect(try await Self.ranking(service.admin).items.map(\.title) == ["Theirs"])
        }
    }

    @Test func answersOnOtherScalesAreOmittedAndCounted() async throws {
        try await TestService.run { service in
            let first = try await Self.series("A", [4, 5, 3], in: service)
            let wide = try await first.next(
                #""questions": [{"key": "pace", "kind": "rating", "title": "P", "max": 10}]"#)
            try await wide.rate(10, 10)
            let text = try await first.next(#""questions": [{"key": "pace", "kind": "text", "title": "P"}]"#)
            try await text.submit(#"{"pace": "x"}"#).expect(201)
            let ranking = try await Self.ranking(service.host)
            #expect(ranking.items.map(\.n) == [3] && ranking.leftOut == 2 && ranking.prior?.mean == 4)
            #expect(ranking.prior?.method == "mean-group-size" && ranking.prior?.weight == 3)
            try await wide.rate(1, 1)
            #expect(
                try await Self.ranking(service.host).scale == .init(min: 1, max: 10), "most answers have this scale now"
            )
        }
    }

    @Test func withheldRoundsHaveNoRank() async throws {
        try await TestService.run { service in
            let hidden = try await Self.series("Hidden", [5, 5], in: service, settings: #""anonymous": true"#)
            let shown = try await Self.series("Shown", [3, 4, 5], in: service, settings: #""anonymous": true"#)
            for meeting in [hidden, shown] { try await meeting.perform("close").expect(200) }
            let ranking = try await Self.ranking(service.host)
            #expect(ranking.items.map(\.title) == ["Shown"] && ranking.prior?.mean == 4)
            try await shown.perform("reopen").expect(200)
            try await shown.rate(1)
            #expect(try await Self.ranking(service.host) == ranking, "the additional submission is withheld")
            for unit in ["series", "meeting"] {
                let alone = try await Self.ranking(service.host, "key=pace&by=\(unit)&q=hid")
                #expect(alone.items.isEmpty && alone.prior == ranking.prior)
            }
        }
    }

    /// The key is checked against all visible forms, whatever the period.
    @Test func periodWithoutAnswersIsEmpty() async throws {
        try await TestService.run { service in
            let first = try await Self.series("A", [4, 5], in: service)
            _ = try await first.next(
                Self.day + #""questions": [{"key": "pace", "kind": "rating", "title": "P"}]"#)
            for period in ["from=2030-01-01", "from=2026-11-01&to=2026-12-01"] {
                let quiet = try await Self.ranking(service.host, "key=pace&by=series&\(period)")
                #expect(quiet.prior == nil && quiet.items.isEmpty && quiet.next == nil && quiet.leftOut == 0)
                #expect(quiet.scale == .init(min: 1, max: 5))
            }
            let never = try await service.host.get("/v1/rankings?key=nothing&by=series&from=2030-01-01")
            #expect(never.faults == ["?key unknown-key"])

            let later = Self.day.replacing("2026-11", with: "2026-12")
            let text = try await first.next(
                later + #""questions": [{"key": "pace", "kind": "text", "title": "P"}]"#)
            try await text.submit(#"{"pace": "x"}"#).expect(201)
            let other = try await Self.ranking(service.host, "key=pace&by=series&from=2026-12-01&to=2027-01-01")
            #expect(other.prior == nil && other.items.isEmpty && other.leftOut == 1)
            let topics = try await first.next(
                #""questions": [{"key": "why", "kind": "text", "title": "P"}]"#)
            try await topics.submit(#"{"why": "x"}"#).expect(201)
            let noRating = try await service.host.get("/v1/rankings?key=why&by=series&from=2030-01-01")
            #expect(noRating.faults == ["?key not-a-rating"])
        }
    }

    private static let day = #""startsAt": "2026-11-05T09:00:00Z", "endsAt": "2026-11-05T10:00:00Z", "#

    @Test func rankingWithoutAnswersHasNoPrior() async throws {
        try await TestService.run { service in
            _ = try await Self.series("A", [], in: service)
            let ranking = try await Self.ranking(service.host)
            #expect(ranking.prior == nil && ranking.items.isEmpty && ranking.next == nil)
        }
    }

    /// Pages of any size add up to the list, even if entries with the same rank are on two pages. Answers that arrive
    /// in the meantime move only the entry that they belong to.
    @Test func pagesAddUpToTheListWhileAnswersArrive() async throws {
        try await TestService.run { service in
            var meetings: [TestMeeting] = []
            for (title, ratings) in [
                ("e", [3, 4]), ("b", [4, 3]), ("d", [5, 5]), ("a", [3, 4]), ("c", [2, 2, 2]), ("f", [3, 4]), ("g", [1]),
            ] { meetings.append(try await Self.series(title, ratings, in: service)) }
            let list = try await Self.ranking(service.host)
            #expect(list.items.map(\.title) == ["d", "a", "b", "e", "f", "c", "g"])
            #expect(list.items.map(\.rank) == [1, 2, 2, 2, 2, 6, 7])
            for limit in 1...8 {
                var items: [RankedGroup] = []
                var cursor: String?
                repeat {
                    let more = cursor.map { "&cursor=\($0)" } ?? ""
                    let page = try await Self.ranking(service.host, "key=pace&by=series&limit=\(limit)\(more)")
                    #expect(page.prior == list.prior && page.items.count <= limit)
                    items += page.items
                    cursor = page.next
                } while cursor != nil
                #expect(items == list.items, "\(limit)")
            }
            let first = try await Self.ranking(service.host, "key=pace&by=series&limit=3")
            try await meetings[4].rate(5, 5, 5)
            let lastPage = try await Self.ranking(service.host, "key=pace&by=series&cursor=\(try #require(first.next))")
            #expect(lastPage.prior == first.prior)
            #expect((first.items + lastPage.items).map(\.title) == ["d", "a", "b", "e", "f", "g"], "c has moved up")
            let named = try await Self.ranking(service.host, "key=pace&by=series&q=F")
            #expect(named.items.map(\.title) == ["f"])
            let wide = try await Self.ranking(service.host, "key=pace&by=meeting&q=%20%EF%BC%A6%20")
            #expect(wide.items.map(\.title) == ["f"], "case, width and space do not matter")
        }
    }

    @Test func invalidRequestsNameTheParameter() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await meeting.rate(3)
            let second = try await service.openMeeting()
            try await second.rate(4)
            func faults(_ query: String) async throws -> [String] {
                try await service.host.get("/v1/rankings?\(query)").expect(422).faults
            }
            #expect(try await faults("by=series") == ["?key required"])
            #expect(try await faults("key=pace") == ["?by required"])
            #expect(try await faults("key=pace&by=host") == ["?by unknown-choice"])
            #expect(try await faults("key=nothing&by=series") == ["?key unknown-key"])
            #expect(try await faults("key=topics&by=series") == ["?key not-a-rating"])
            #expect(try await faults("key=pace&by=series&limit=0") == ["?limit out-of-range"])
            #expect(try await faults("key=pace&by=series&limit=201") == ["?limit out-of-range"])
            #expect(try await faults("key=pace&by=series&from=2026-02-01&to=2026-01-01") == ["?to ends-before-start"])
            let long = String(repeating: "e%CC%81", count: 200)
            #expect(try await faults("key=pace&by=series&q=\(long)a") == ["?q too-long"])
            #expect(try await Self.ranking(service.host, "key=pace&by=series&q=\(long)").items.isEmpty)
            let page = try await Self.ranking(service.host, "key=pace&by=series&limit=1")
            let cursor = try #require(page.next)
            let meetings = try #require(try await service.host.get("/v1/meetings?limit=1").json?["next"]?.string)
            for (query, wrong) in [
                ("key=pace&by=meeting", cursor), ("key=pace&by=series&q=a", cursor),
                ("key=pace&by=series&to=2030-01-01", cursor), ("key=pace&by=series", meetings),
                ("key=pace&by=series", Self.changed(cursor)), ("key=pace&by=series", String(cursor.dropFirst(4))),
                ("key=pace&by=series", "x"), ("key=pace&by=series", String(repeating: "A", count: 5000)),
            ] as [(String, String)] {
                #expect(try await faults("\(query)&cursor=\(wrong)") == ["?cursor invalid-cursor"], "\(query) \(wrong)")
            }
            let otherAccount = service.admin
            #expect(try await otherAccount.get("/v1/rankings?key=pace&by=series&cursor=\(cursor)").status == 422)
        }
    }

    /// A plain digest does not authenticate a cursor: any client could compute the digest and choose the prior.
    @Test func forgedCursorIsRefused() async throws {
        try await TestService.run { service in
            for ratings in [[5, 5, 4], [1, 2], [3]] { _ = try await Self.series("S", ratings, in: service) }
            let page = try await Self.ranking(service.host, "key=pace&by=series&limit=1")
            let first = try #require(page.items.first)
            func bits(_ number: Double) -> String { String(number.bitPattern, radix: 36) }
            let account = try #require(try await service.host.get("/v1/me").json?["id"]?.string)
            let query = [account, "false", "pace", "series", "", "", ""]
            let fields = [
                "buhlmann-straub", bits(4), bits(-3), bits(1), bits(1), "3", "6", bits(2),
                bits(first.shrunk), String(first.n),
                Base64URL.encode(Array(first.title.utf8)), first.seriesId.description.uppercased(),
            ]
            let text = (query + fields).map { "\($0.utf8.count) \($0)" }.joined()
            let digest = SHA256.hash(Array(text.utf8))
            let plain = Array(fields.joined(separator: ":").utf8)
            for forged in [
                Array((["k", Base64URL.encode(Array(digest.prefix(9)))] + fields).joined(separator: ":").utf8),
                plain + digest.prefix(16), plain + [UInt8](repeating: 0, count: 16), plain,
            ] {
                let cursor = Base64URL.encode(Array(forged))
                let response = try await service.host.get("/v1/rankings?key=pace&by=series&cursor=\(cursor)")
                #expect(response.faults == ["?cursor invalid-cursor"], "\(response.text)")
            }
        }
    }

    /// The cursor with one character in the middle changed.
    private static func changed(_ cursor: String) -> String {
        var characters = Array(cursor)
        let middle = characters.count / 2
        characters[middle] = characters[middle] == "A" ? "B" : "A"
        return String(characters)
    }
}
