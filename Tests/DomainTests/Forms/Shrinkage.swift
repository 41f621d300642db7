import Domain
import Foundation
import Testing

@Suite struct Shrinkage {
    private static func sums(_ ratings: [Int]) -> RatingSums {
        RatingSums(
            count: ratings.count, sum: ratings.reduce(0, +), squares: ratings.reduce(0) { $0 + $1 * $1 })
    }

    private static func group(_ title: String, _ ratings: [Int]) -> Ranking.Group {
        let id = UUID()
        return Ranking.Group(id: id, seriesID: id, series: title, title: title, answers: sums(ratings))
    }

    /// The variance within groups is (2/3 + 2 + 1/2) / 5; docs/statistics.md has the formula for the variance between
    /// them.
    @Test func weightIsTheVarianceWithinOverTheVarianceBetween() throws {
        let groups = [[5, 5, 4], [2, 3, 1], [3, 4]].map(Self.sums)
        let prior = try #require(Credibility(of: groups))
        #expect(prior.method == .buhlmannStraub)
        let within = (2.0 / 3 + 2 + 0.5) / 5
        let means = [14.0 / 3, 2, 3.5]
        let weightedSquares =
            3 * pow(means[0] - 27.0 / 8, 2) + 3 * pow(means[1] - 27.0 / 8, 2) + 2 * pow(means[2] - 27.0 / 8, 2)
        let between = (weightedSquares - 2 * within) / (8 - 22.0 / 8)
        #expect(abs(prior.weight - within / between) < 1e-12)
        let credibilities = [3, 3, 2].map { $0 / (within / between + $0) }
        let sum = credibilities.reduce(0, +)
        #expect(abs(prior.mean - zip(credibilities, means).reduce(0) { $0 + $1.0 * $1.1 } / sum) < 1e-12)
        let shrunk = prior.shrunkMean(of: groups[0])
        #expect(shrunk < 14.0 / 3 && shrunk > prior.mean)
        #expect(abs(shrunk - (prior.weight * prior.mean + 14) / (prior.weight + 3)) < 1e-12)
        let interval = try #require(prior.interval(groups[0]))
        let (own, rest) = (credibilities[0], 1 - credibilities[0])
        let variance =
            within / (prior.weight + 3) * (1 + rest / sum) + 2.0 / 2 * rest * rest * pow(means[0] - prior.mean, 2)
        let t = StudentT.critical95(degreesOfFreedom: 1 / (own * own / 5 + rest * rest / 2))
        #expect(abs(interval.high - shrunk - t * variance.squareRoot()) < 1e-12)
        #expect(abs(interval.high + interval.low - 2 * shrunk) < 1e-12)
    }

    /// The mean of all answers would be 2.02, because of one hall.
    @Test func largeGroupIsNotThePrior() throws {
        let hall = RatingSums(count: 1000, sum: 2000, squares: 4200)
        let small = [[4, 4, 5, 4, 3], [5, 4, 4, 5, 5], [3, 4, 4, 3, 5]].map(Self.sums)
        let prior = try #require(Credibility(of: [hall] + small))
        #expect(prior.mean > 3.5 && prior.mean < 4)
    }

    @Test func singleGroupHasTheIntervalOfItsMean() throws {
        let ratings = [1, 3, 4, 5, 5]
        let prior = try #require(Credibility(of: [Self.sums(ratings)]))
        let interval = try #require(prior.interval(Self.sums(ratings)))
        let expected = try #require(Distribution([(1, 1), (3, 1), (4, 1), (5, 2)]).confidence95)
        #expect(abs(interval.low - expected.low) < 1e-12 && abs(interval.high - expected.high) < 1e-12)
    }

    /// With one group, one answer each or equal groups, the documented fallback is used and nothing is divided by zero.
    @Test func withoutVariancesTheMeanGroupSizeIsTheWeight() throws {
        for (groups, weight) in [
            ([[3, 4, 5]], 3.0), ([[5], [1]], 1), ([[4, 4], [4, 4, 4, 4]], 3), ([[1, 5], [5, 1]], 2), ([[2]], 1),
        ] {
            let prior = try #require(Credibility(of: groups.map(Self.sums)))
            #expect(prior.method == .meanGroupSize && prior.weight == weight, "\(groups)")
        }
        #expect(Credibility(of: [Self.sums([5]), Self.sums([1])])?.interval(Self.sums([5])) == nil)
        #expect(Credibility(of: []) == nil && Credibility(of: [Self.sums([])]) == nil)
    }

    @Test func groupsWithoutVarianceKeepTheirMeans() throws {
        let prior = try #require(Credibility(of: [[5, 5], [1, 1]].map(Self.sums)))
        #expect(prior.weight == 0 && prior.method == .buhlmannStraub)
        #expect(prior.shrunkMean(of: Self.sums([5, 5])) == 5)
    }

    @Test func fewGoodAnswersRankBelowMany() {
        let entries = Ranking([
            Self.group("one", [5]), Self.group("many", Array(repeating: 5, count: 40) + [4, 4]),
            Self.group("poor", Array(repeating: 2, count: 30)), Self.group("mixed", [1, 5, 3, 4, 2, 3, 3]),
        ]).entries
        #expect(entries.map(\.group.title) == ["many", "one", "mixed", "poor"])
        #expect(entries.map(\.rank) == [1, 2, 3, 4])
    }

    @Test func equalGroupsShareARankInOrderOfTitles() {
        let entries = Ranking([
            Self.group("c", [4, 2]), Self.group("a", [4, 2]), Self.group("b", [5, 5]), Self.group("none", []),
            Self.group("d", [1, 1]),
        ]).entries
        #expect(entries.map(\.group.title) == ["b", "a", "c", "d"])
        #expect(entries.map(\.rank) == [1, 2, 2, 4])
    }

    /// For any ratings, a shrunk mean lies between the group's own mean and the prior, and the groups are sorted by
    /// rank.
    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func shrunkMeanIsBetweenTheGroupsMeanAndThePrior(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let groups = (0..<random.int(1...12)).map { index in
            Self.group("g\(index)", (0..<random.int(0...20)).map { _ in random.int(1...5) })
        }
        let ranking = Ranking(groups)
        guard let prior = ranking.prior else { return #expect(groups.allSatisfy { $0.answers.count == 0 }) }
        #expect(ranking.entries.count == groups.count { $0.answers.count > 0 })
        for entry in ranking.entries {
            let ends = [entry.mean, prior.mean].sorted()
            #expect(entry.shrunkMean >= ends[0] - 1e-12 && entry.shrunkMean <= ends[1] + 1e-12, "seed \(seed)")
            #expect(entry.rank == 1 + ranking.entries.count { $0.shrunkMean > entry.shrunkMean }, "seed \(seed)")
        }
        let positions = ranking.entries.map(\.position)
        #expect(positions == positions.sorted(), "seed \(seed)")
    }
}
