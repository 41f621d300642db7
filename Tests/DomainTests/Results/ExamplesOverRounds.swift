import Foundation
import TestSupport
import Testing

@testable import Domain

/// The worked examples of docs/statistics.md, "Over rounds". The section contains the numbers that the code returns.
@Suite struct ExamplesOverRounds {
    private static let section: String = {
        let page = (try? String(contentsOf: Repository.url("docs/statistics.md"), encoding: .utf8)) ?? ""
        let lines = page.split(separator: "## Over rounds").last.map(String.init) ?? ""
        return lines.replacing("\n> ", with: " ").replacing("\n", with: " ").replacing("−", with: "-")
    }()

    private func expectInSection(_ numbers: [Double?], _ location: SourceLocation = #_sourceLocation) {
        for number in numbers {
            let text = number.map { String(format: "%.4f", $0) } ?? "none"
            #expect(Self.section.contains(text), sourceLocation: location)
        }
    }

    private let firstRound = Distribution([(3, 1), (4, 3), (5, 2)])
    private let secondRound = Distribution([(2, 1), (4, 1), (5, 2)])

    @Test func changeOfAMeanMatchesTheDocument() throws {
        let change = try #require(Difference.ofMeans(secondRound, less: firstRound))
        #expect(Self.section.contains("rated 3, 4, 4, 4, 5, 5, round 2 rated 2, 4, 5, 5"))
        expectInSection([firstRound.mean, change.value, change.interval?.low, change.interval?.high])
        expectInSection([firstRound.standardDeviation.map { $0 * $0 }, 4.151497570527232])
        expectInSection([StudentT.critical95(degreesOfFreedom: 4.151497570527232)])
    }

    @Test func changeOfAShareMatchesTheDocument() throws {
        let before = try #require(Proportion(count: 4, of: 6))
        let after = try #require(Proportion(count: 2, of: 3))
        let change = Difference.ofShares(after, less: before)
        expectInSection([before.low, before.high, after.low, after.high, change.interval?.low, change.interval?.high])
    }

    @Test func pooledRoundsMatchTheDocument() throws {
        let both = Distribution([(2, 1), (3, 1), (4, 4), (5, 4)])
        #expect(both.mean == 4.1 && both.median == 4 && Self.section.contains("mean 4.1, median 4,"))
        expectInSection([both.standardDeviation, both.confidence95?.low, both.confidence95?.high])
    }

    @Test func rankingOfThreeShopsMatchesTheDocument() throws {
        let shops = [
            ("Page One", [5, 3, 3, 4, 3, 3, 4]), ("Inkwell", [4, 4, 5, 4, 3, 4, 4]),
            ("The Last Chapter", [5, 5, 4, 5, 4, 5]),
        ]
        let ranking = Ranking(
            shops.map { name, ratings in
                #expect(Self.section.contains(ratings.map(String.init).joined(separator: ", ")))
                let id = UUID()
                return Ranking.Group(
                    id: id, seriesID: id, series: name, title: name,
                    answers: RatingSums(
                        count: ratings.count, sum: ratings.reduce(0, +), squares: ratings.reduce(0) { $0 + $1 * $1 }))
            })
        #expect(ranking.entries.map(\.group.title) == ["The Last Chapter", "Inkwell", "Page One"])
        let prior = try #require(ranking.prior)
        #expect(Self.section.contains("m = 4.05"))
        expectInSection([prior.within, prior.between, prior.weight, prior.mean])
        for entry in ranking.entries {
            let interval = ranking.interval(of: entry)
            expectInSection([entry.shrunkMean, interval?.low, interval?.high])
        }
    }
}
