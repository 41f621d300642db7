import Domain
import Foundation
import TestSupport
import Testing

/// Simulated rankings: how often the intervals contain a group's true mean. All seeds are fixed.
@Suite struct RankingCoverage {
    /// A number of the standard normal distribution, nearly: the sum of twelve uniform ones.
    private static func normal(_ random: inout SeededNumbers) -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + Double(random.int(0...1_000_000)) / 1_000_000 }
    }

    /// Ratings from 0 to 10 of `size` people whose true mean is 10 · `share`: the number of hits of ten trials.
    private static func ratings(_ size: Int, _ share: Double, _ random: inout SeededNumbers) -> RatingSums {
        (0..<size).reduce(into: RatingSums(count: 0, sum: 0, squares: 0)) { sums, _ in
            var rating = 0
            for _ in 0..<10 where Double(random.int(0...999_999)) < share * 1_000_000 { rating += 1 }
            sums = sums + RatingSums(count: 1, sum: rating, squares: rating * rating)
        }
    }

    /// The share of groups whose interval contains the true mean.
    ///
    /// - Parameter spread: The deviation of the groups' true means; that of the answers is about 1.5.
    private static func coverage(of groups: Int, sizes: [Int], spread: Double, seed: UInt64) throws -> Double {
        var random = SeededNumbers(seed: seed)
        var (hits, intervals) = (0, 0)
        for _ in 0..<(1500 / groups) {
            let shares = (0..<groups).map { _ in min(max(0.6 + spread * normal(&random) / 10, 0.05), 0.95) }
            let answers = shares.map { share in ratings(sizes[random.int(0...sizes.count - 1)], share, &random) }
            guard let prior = Credibility(of: answers), prior.within ?? 0 > 0 else { continue }
            for (share, group) in zip(shares, answers) {
                let interval = try #require(prior.interval(group))
                intervals += 1
                if interval.low <= 10 * share, 10 * share <= interval.high { hits += 1 }
            }
        }
        return 100 * Double(hits) / Double(intervals)
    }

    /// With Morris's interval around the mean of all answers and without the uncertainty of the prior, as few as 75 %
    /// were contained. Two or three groups say so little about a prior that their intervals are wider than needed.
    @Test(arguments: [2, 3, 5, 12, 40])
    func intervalsContainTheTrueMeans(_ groups: Int) throws {
        var all: [Double] = []
        for (sizes, seed) in [([5, 10, 20], 1), ([3, 8, 200], 2)] as [([Int], UInt64)] {
            for spread in [0.1, 0.5, 1.5] {
                let found = try Self.coverage(of: groups, sizes: sizes, spread: spread, seed: seed)
                all.append(found)
                #expect(found >= 92, "\(groups) groups of \(sizes), spread \(spread): \(found) %")
            }
        }
        let average = all.reduce(0, +) / Double(all.count)
        #expect(average >= 94 && average <= (groups < 5 ? 98.5 : 98), "\(groups) groups: \(all)")
    }
}
