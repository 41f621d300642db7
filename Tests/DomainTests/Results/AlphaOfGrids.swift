import Foundation
import Testing

@testable import Domain

/// Cronbach's alpha, compared with values from SciPy and from published tables.
@Suite struct AlphaOfGrids {
    private static func sums(_ people: [[Int]]) -> CronbachAlpha.Sums {
        let statements = people.first?.indices ?? 0..<0
        return CronbachAlpha.Sums(
            people: people.count, ratings: statements.map { index in people.reduce(0) { $0 + $1[index] } },
            squares: statements.map { index in people.reduce(0) { $0 + $1[index] * $1[index] } },
            totalSquares: people.reduce(0) { sum, ratings in
                let total = ratings.reduce(0, +)
                return sum + total * total
            })
    }

    /// The quantiles of scipy.stats.f.ppf.
    @Test(arguments: [
        (0.975, 9.0, 27.0, 2.6308555879228073), (0.025, 9.0, 27.0, 0.2789826512480547),
        (0.975, 1.0, 1.0, 647.7890114778442), (0.975, 1.0, 19.0, 5.9216312623366525),
    ])
    func quantilesAgreeWithTables(_ probability: Double, _ first: Double, _ second: Double, _ value: Double) {
        let found = FDistribution.quantile(probability, first, second)
        #expect(abs(found / value - 1) < 1e-11, "\(found)")
    }

    @Test func alphaOfIdenticalStatementsIsOne() throws {
        let alpha = try #require(CronbachAlpha(Self.sums([[1, 1, 1], [2, 2, 2], [5, 5, 5]])))
        #expect(alpha.value == 1 && alpha.interval == Interval(low: 1, high: 1))
        #expect(alpha.people == 3 && alpha.statements == 3)
    }

    @Test func alphaNeedsTwoPeopleTwoStatementsAndDifferentTotals() {
        #expect(CronbachAlpha(Self.sums([[1, 2]])) == nil)
        #expect(CronbachAlpha(Self.sums([[1], [2]])) == nil)
        #expect(CronbachAlpha(Self.sums([[1, 2], [2, 1]])) == nil)
        #expect(CronbachAlpha(Self.sums([])) == nil)
    }
}
