import AfterwordClient
import Foundation
import TestSupport
import Testing

/// Each bookshop is a series with an undated round for each season. The shops are ranked by their ratings.
@Suite(.timeLimit(.minutes(15))) struct Cozy {
    /// A shop with the ratings of each season.
    private struct Shop: Sendable {
        let name: String
        let seasons: [[Int]]

        var ratings: [Int] { seasons.flatMap { $0 } }
        var mean: Double { Double(ratings.reduce(0, +)) / Double(ratings.count) }
    }

    /// By the mean of the seasons' means, Page One would precede Inkwell. By the mean of all ratings, Inkwell is first.
    private static let shops = [
        Shop(name: "Page One", seasons: [[5], [3, 3, 4, 3, 3, 4]]),
        Shop(name: "Inkwell", seasons: [[4, 4, 5, 4, 3, 4], [4]]),
        Shop(name: "The Last Chapter", seasons: [[5, 5, 4], [], [5, 4, 5]]),
    ]

    private static let questions: [QuestionBody] = [
        .rating("cozy", "How cozy is it?", required: true),
        .choice(
            "corner", "Where did you sit?",
            options: [.init(id: "window", label: "At the window"), .init(id: "stairs", label: "On the stairs")]),
    ]

    @Test func bookshopsAreRankedByTheirRatings() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            var series: [String: ResourceID] = [:]
            for shop in Self.shops { series[shop.name] = try await Self.open(shop, by: host) }
            // An undated round is not upcoming, running or ended.
            #expect(try await host.meetings().all().count == 7)
            for state in [MeetingState.upcoming, .running, .ended] {
                #expect(try await host.meetings(state: state).all().isEmpty)
            }

            try await Self.checkRanking(series, by: host)
            var pooled: [String: [String: Int]] = [:]
            for shop in Self.shops {
                let results = try await host.results(ofSeries: try #require(series[shop.name]))
                #expect(results.rounds == Array(1...shop.seasons.count) && results.submissions == shop.ratings.count)
                let cozy = try #require(results.value[question: "cozy"])
                #expect(cozy.summary?.mean == shop.mean)
                pooled[shop.name] = cozy.countsByID
                #expect(pooled[shop.name] == Self.buckets(shop.ratings))
            }
            try await Self.checkTables(pooled, series, service)
        }
    }

    /// A shop with one excellent rating does not precede a shop with many good ratings.
    private static func checkRanking(_ series: [String: ResourceID], by host: Afterword.Host) async throws {
        let ranking = try await host.ranking(of: "cozy")
        #expect(ranking.items.map(\.title) == ["The Last Chapter", "Inkwell", "Page One"])
        #expect(ranking.items.map(\.seriesId) == ranking.items.map { series[$0.title] })
        #expect(ranking.items.map(\.rank) == [1, 2, 3] && ranking.items.map(\.n) == [6, 7, 7])
        let means: [Double] = [28.0 / 6, 4, 25.0 / 7]
        #expect(ranking.items.map(\.mean) == means)
        let prior = try #require(ranking.prior)
        let credibilities = ranking.items.map { Double($0.n) / (prior.weight + Double($0.n)) }
        let sum = zip(ranking.items, credibilities).reduce(0) { $0 + $1.0.mean * $1.1 }
        #expect(abs(prior.mean - sum / credibilities.reduce(0, +)) < 1e-12)
        #expect(prior.method == "buhlmann-straub")
        for shop in ranking.items {
            let shrunk = (prior.weight * prior.mean + shop.mean * Double(shop.n)) / (prior.weight + Double(shop.n))
            #expect(abs(shop.shrunk - shrunk) < 1e-12)
        }
        // In the ranking by season, Page One's first season has the highest mean, but only one rating: its shrunk mean is
        // hardly above those of The Last Chapter, and less certain.
        let seasons = try await host.rankings(of: "cozy", by: .meeting).all()
        let single = try #require(seasons.first { $0.mean == 5 })
        let others = seasons.filter { $0.title == "The Last Chapter" }
        #expect(seasons.count == 6 && single.n == 1 && others.map(\.n) == [3, 3])
        let width = { (season: RankedGroup) -> Double in (season.high ?? 0) - (season.low ?? 0) }
        for season in others {
            #expect(single.shrunk - season.shrunk < 0.1 && single.mean - season.mean > 0.3)
            #expect(width(single) > width(season))
        }
    }

    private static func buckets(_ ratings: [Int]) -> [String: Int] {
        Dictionary((1...5).map { value in (String(value), ratings.count { $0 == value }) }) { first, _ in first }
    }

    /// Creates a shop with its seasons. Visitors may answer repeatedly.
    private static func open(_ shop: Shop, by host: Afterword.Host) async throws -> ResourceID {
        var season = try await host.createMeeting(MeetingRequest(title: shop.name, questions: questions))
        for (index, ratings) in shop.seasons.enumerated() {
            if index > 0 { season = try await host.createRound(of: season.seriesId) }
            #expect(season.round == index + 1 && season.startsAt == nil && season.state == nil)
            try await host.publish(season.id)
            for rating in ratings {
                try await host.service.submit(
                    ["cozy": .rating(rating), "corner": rating > 3 ? "window" : "stairs"], to: season.form.code)
            }
            let results = try await host.results(of: season.id).value
            let sum = Double(ratings.reduce(0, +))
            #expect(results[question: "cozy"]?.summary?.mean == (ratings.isEmpty ? nil : sum / Double(ratings.count)))
            #expect(results[question: "corner"]?.counts == [ratings.count { $0 > 3 }, ratings.count { $0 <= 3 }])
        }
        return season.seriesId
    }

    /// Checks that a table for the whole service, and one for each shop, have the same counts.
    private static func checkTables(
        _ pooled: [String: [String: Int]], _ series: [String: ResourceID], _ service: TestService
    ) async throws {
        let rows = try await service.adminClient.exportAll(.summary, as: .ndjson).rows()
        #expect(sum(rows) == pooled)
        for (name, id) in series {
            let shopRows = try await service.hostClient.export(.summary, ofSeries: id, as: .ndjson).rows()
            #expect(sum(shopRows) == [name: pooled[name]])
        }
    }

    private static func sum(_ rows: [JSONValue]) -> [String: [String: Int]] {
        var counts: [String: [String: Int]] = [:]
        for row in rows where row["question"]?.string == "cozy" {
            counts[row["series"]?.string ?? "", default: [:]][row["label"]?.string ?? "", default: 0] +=
                row["count"]?.int ?? 0
        }
        return counts
    }
}
