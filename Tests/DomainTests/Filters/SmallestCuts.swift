import Domain
import TestSupport
import Testing

@Suite struct SmallestCuts {
    /// Ties of two places and of more, some of them repeated often, so that a few cuts are much smaller than others.
    private static func ties(_ random: inout SplitMix, among places: Int) -> [SmallestCut.Tie] {
        (0..<random.int(0...2 * places)).map { _ in
            let size = random.int(0...5) == 0 ? random.int(1...5) : 2
            return SmallestCut.Tie(
                (0..<size).map { _ in random.int(0...places - 1) }, weight: random.int(1...(random.chance() ? 2 : 9)))
        }
    }

    /// The smallest cut by trying every division in two.
    private static func tried(_ ties: [SmallestCut.Tie], among places: Int) -> Int? {
        (1..<(1 << places)).map { side in
            ties.filter { tie in Set(tie.places.map { side >> $0 & 1 }).count == 2 }.reduce(0) { $0 + $1.weight }
        }.filter { $0 > 0 }.min()
    }

    @Test(arguments: [1, 2, SeededNumbers.freshSeed()])
    func cutIsTheSmallestOfAllDivisions(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        for number in 0..<300 {
            let places = random.int(2...8)
            let ties = Self.ties(&random, among: places)
            let known = Self.tried(ties, among: places)
            #expect(SmallestCut.weight(of: ties, among: places) == known, "seed \(seed), \(number): \(ties)")
        }
    }

    @Test func placesWithoutTiesHaveNoCut() {
        #expect(SmallestCut.weight(of: [], among: 0) == nil)
        #expect(SmallestCut.weight(of: [.init([1, 1, 1], weight: 4)], among: 3) == nil)
    }

    @Test func cutsThatTakeTooLongCountAsZero() {
        let ties = [SmallestCut.Tie([0, 1], weight: 5), SmallestCut.Tie([1, 2], weight: 4)]
        #expect(SmallestCut.weight(of: ties, among: 3, patience: 1) == 0)
        #expect(SmallestCut.weight(of: ties, among: 3, patience: 100) == 4)
    }

    /// A chain of as many periods as the largest form can have, each with a few people.
    @Test func longFormIsProcessedQuickly() {
        let periods = 13_000
        let ties = (0..<40_000).map { person in
            SmallestCut.Tie([person / 3 % periods, periods + person % 5], weight: 1)
        }
        #expect(SmallestCut.weight(of: ties, among: periods + 5) == 3)
    }
}
