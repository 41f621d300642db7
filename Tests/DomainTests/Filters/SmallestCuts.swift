import Domain
import TestSupport
import Testing

@Suite struct SmallestCuts {
    /// Random hyperedges, mostly of two vertices. Some have little weight, so that a few cuts are much smaller than
    /// others.
    private static func hyperedges(_ random: inout SplitMix, among vertices: Int) -> [MinimumCut.Hyperedge] {
        (0..<random.int(0...2 * vertices)).map { _ in
            let size = random.int(0...5) == 0 ? random.int(1...5) : 2
            return MinimumCut.Hyperedge(
                (0..<size).map { _ in random.int(0...vertices - 1) }, weight: random.int(1...(random.chance() ? 2 : 9)))
        }
    }

    /// The weight of the smallest cut, found by trying every division into two sides.
    private static func bruteForceWeight(_ hyperedges: [MinimumCut.Hyperedge], among vertices: Int) -> Int? {
        (1..<(1 << vertices)).map { side in
            hyperedges.filter { hyperedge in Set(hyperedge.vertices.map { side >> $0 & 1 }).count == 2 }.reduce(0) {
                $0 + $1.weight
            }
        }.filter { $0 > 0 }.min()
    }

    @Test(arguments: [1, 2, SeededNumbers.freshSeed()])
    func cutIsTheSmallestOfAllDivisions(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        for number in 0..<300 {
            let vertices = random.int(2...8)
            let hyperedges = Self.hyperedges(&random, among: vertices)
            let expected = Self.bruteForceWeight(hyperedges, among: vertices)
            #expect(
                MinimumCut.weight(of: hyperedges, among: vertices) == expected, "seed \(seed), \(number): \(hyperedges)"
            )
        }
    }

    @Test func verticesWithoutHyperedgesHaveNoCut() {
        #expect(MinimumCut.weight(of: [], among: 0) == nil)
        #expect(MinimumCut.weight(of: [.init([1, 1, 1], weight: 4)], among: 3) == nil)
    }

    @Test func cutsThatTakeTooLongCountAsZero() {
        let hyperedges = [MinimumCut.Hyperedge([0, 1], weight: 5), MinimumCut.Hyperedge([1, 2], weight: 4)]
        #expect(MinimumCut.weight(of: hyperedges, among: 3, budget: SearchBudget(steps: 10)) == 0)
        #expect(MinimumCut.weight(of: hyperedges, among: 3, budget: SearchBudget(steps: 100)) == 4)
    }

    /// As many periods as the largest form can have, each with a few people who gave one of five answers.
    @Test func largestFormIsWithinTheBudget() {
        let periods = 13_000
        let hyperedges = (0..<40_000).map { person in
            MinimumCut.Hyperedge([person / 3 % periods, periods + person % 5], weight: 1)
        }
        #expect(MinimumCut.weight(of: hyperedges, among: periods + 5) == 3)
    }
}
