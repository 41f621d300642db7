import Testing

@testable import Domain

/// The places of the stacked bars of a grid.
@Suite struct DivergingPlaces {
    private static let shares = [[0.1, 0.2, 0.4, 0.2, 0.1], [0, 0, 0.5, 0.25, 0.25], [0, 0, 0, 0, 0]]

    private static func isNear(_ range: ClosedRange<Double>, _ low: Double, _ high: Double) -> Bool {
        abs(range.lowerBound - low) < 1e-12 && abs(range.upperBound - high) < 1e-12
    }

    @Test func middleIsSplitAroundZero() {
        let bars = DivergingBars(Self.shares, .split)
        #expect(Self.isNear(bars.bars[0][0], -0.5, -0.4) && Self.isNear(bars.bars[0][2], -0.2, 0.2))
        #expect(Self.isNear(bars.bars[1][2], -0.25, 0.25) && Self.isNear(bars.bars[1][4], 0.5, 0.75))
        #expect(Self.isNear(bars.extent, -0.5, 0.75) && bars.aside == nil)
    }

    @Test func middleLiesAsideOfAllBars() throws {
        let bars = DivergingBars(Self.shares, .aside)
        let aside = try #require(bars.aside)
        #expect(Self.isNear(bars.bars[0][1], -0.2, 0) && Self.isNear(bars.bars[0][3], 0, 0.2))
        #expect(aside > 0.5 && Self.isNear(bars.bars[1][2], aside, aside + 0.5))
    }

    @Test func stackedBarsBeginAtZeroAndEndAtOne() {
        let bars = DivergingBars(Self.shares, .stacked)
        #expect(Self.isNear(bars.bars[0][0], 0, 0.1) && Self.isNear(bars.bars[1][4], 0.75, 1))
        #expect(bars.extent == 0...1)
    }

    /// Without a middle, the points of a scale diverge between two of them.
    @Test func evenScaleHasNoMiddle() {
        let shares = [[0.25, 0.25, 0.5, 0]]
        for arrangement in [DivergingBars.Arrangement.split, .aside] {
            let bars = DivergingBars(shares, arrangement)
            #expect(Self.isNear(bars.bars[0][1], -0.25, 0) && Self.isNear(bars.bars[0][2], 0, 0.5))
            #expect(bars.aside == nil)
        }
        #expect((0..<4).map { DivergingBars.side(of: $0, among: 4) } == [.below, .below, .above, .above])
        #expect((0..<3).map { DivergingBars.side(of: $0, among: 3) } == [.below, .neutral, .above])
    }

    @Test func agreementOrdersByTheSharesAboveTheMiddleThenBelow() {
        let shares = [[0.5, 0, 0.5], [0, 0.5, 0.5], [0, 0, 1], [0, 0.5, 0.5]]
        #expect(DivergingBars.order(of: shares, by: .agreement) == [2, 1, 3, 0])
        #expect(DivergingBars.order(of: shares, by: .form) == [0, 1, 2, 3])
    }

    /// The parts of each bar have the lengths of its shares, in every arrangement.
    @Test(arguments: 0..<20) func lengthsAreTheShares(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        let count = random.int(2...11)
        let shares = (0..<random.int(1...20)).map { _ in
            let counts = (0..<count).map { _ in random.int(0...9) }
            let total = max(1, counts.reduce(0, +))
            return counts.map { Double($0) / Double(total) }
        }
        for arrangement in DivergingBars.Arrangement.allCases {
            let bars = DivergingBars(shares, arrangement)
            for (bar, shares) in zip(bars.bars, shares) {
                for (part, share) in zip(bar, shares) {
                    #expect(abs(part.upperBound - part.lowerBound - share) < 1e-12)
                    #expect(part.lowerBound >= bars.extent.lowerBound - 1e-12)
                    #expect(part.upperBound <= bars.extent.upperBound + 1e-12)
                }
            }
        }
    }
}
