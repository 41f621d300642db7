import Testing

@testable import Domain

@Suite struct PairedDifferences {
    /// SciPy: `ttest_rel([4, 3, 5, 4, 4, 5], [3, 3, 4, 2, 4, 4])`.
    @Test func meansOfPairsMatchSciPy() throws {
        let pairs = [(3, 4), (3, 3), (4, 5), (2, 4), (4, 4), (4, 5)].map { (earlier: $0.0, later: $0.1) }
        let difference = try #require(PairedDifference.ofMeans(pairs))
        #expect(difference.pairs == 6 && abs(difference.value - 5.0 / 6) < 1e-12)
        #expect(abs(try #require(difference.p) - 0.042_193_996_705_5) < 1e-9)
        let interval = try #require(difference.interval)
        #expect(abs(interval.low - 0.043_346_882_841_4) < 1e-9)
    }

    @Test func mcNemarIsTheExactBinomialTest() {
        // 2 · (1 + 8) / 2⁸, and 1 without a difference.
        for sum in [6, -6] {
            #expect(abs(SignFlips.probability(ones: 8, twos: 0, sum: sum) - 18.0 / 256) < 1e-12)
        }
        #expect(SignFlips.probability(ones: 8, twos: 0, sum: 0) == 1)
        #expect(SignFlips.probability(ones: 0, twos: 0, sum: 0) == 1)
    }

    @Test func signFlipsMatchAllPossibilities() {
        for ones in 0...5 {
            for twos in 0...4 {
                let moves = Array(repeating: 1, count: ones) + Array(repeating: 2, count: twos)
                let sums = (0..<(1 << moves.count)).map { signs in
                    moves.indices.reduce(0) { $0 + (signs >> $1 & 1 == 1 ? moves[$1] : -moves[$1]) }
                }
                for sum in Set(sums) {
                    let share = Double(sums.count { abs($0) >= abs(sum) }) / Double(sums.count)
                    #expect(abs(SignFlips.probability(ones: ones, twos: twos, sum: sum) - share) < 1e-12)
                }
            }
        }
    }

    @Test func sharesOfEqualPairsHaveAWidth() throws {
        let pairs = Array(repeating: (earlier: true, later: true), count: 6)
        let difference = try #require(PairedDifference.ofShares(pairs))
        let interval = try #require(difference.interval)
        #expect(difference.value == 0 && difference.p == 1 && interval.low < 0 && interval.high > 0)
        #expect(PairedDifference.ofShares([]) == nil && PairedDifference.ofMeans([]) == nil)
        #expect(PairedDifference.ofScores([]) == nil)
    }

    @Test func holmKeepsTheOrderAndNeverExceedsOne() {
        #expect(Holm.adjusted([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02])
        #expect(Holm.adjusted([0.6, 0.7]) == [1, 1])
        #expect(Holm.adjusted([]).isEmpty)
    }
}
