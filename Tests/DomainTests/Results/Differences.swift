import Testing

@testable import Domain

/// The expected values come from SciPy 1.17.1 and, for shares, from the paper that defines the interval.
@Suite struct Differences {
    private func close(_ value: Double?, _ expected: Double, within tolerance: Double = 1e-10) -> Bool {
        value.map { abs($0 - expected) <= tolerance * max(1, abs(expected)) } ?? false
    }

    /// `scipy.stats.t.ppf(0.975, df)`
    @Test(arguments: [
        (1, 12.706204736174694), (1.0000001, 12.706201733566232), (1.3, 7.500529325562029), (2.5, 3.5746548420036817),
        (3.7, 2.8675207071911895), (7.25, 2.348194849105371), (18.4, 2.0976530566581726), (59.99, 2.0003046801637288),
        (120.5, 1.9798467346393642), (333.3, 1.9671069867099256), (740.2, 1.9631740481117914),
        (999.9, 1.9623393186426081), (1000.5, 1.962337892459348), (12_345.6, 1.9601561582595104),
    ])
    func studentsQuantileIsExactForFractionalDegrees(_ degrees: Double, _ expected: Double) {
        #expect(close(StudentT.critical95(degreesOfFreedom: degrees), expected))
    }

    @Test func continuedFractionEqualsTheFiniteSeries() {
        for degrees in [1, 2, 3, 5, 8, 30, 79, 80, 81, 200, 640, 998] {
            let exact = StudentT.critical95(degreesOfFreedom: degrees)
            #expect(close(StudentT.critical95(degreesOfFreedom: Double(degrees)), exact, within: 1e-11), "\(degrees)")
        }
    }

    /// `scipy.stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)`
    @Test(
        arguments: [
            (
                [(2, 2), (3, 11), (4, 17), (5, 6)], [(1, 3), (2, 5), (3, 9), (4, 2)], 1.223684210526316,
                0.7207359223504598, 1.726632498702172
            ),
            ([(5, 1), (4, 1)], [(1, 1), (3, 2)], 2.1666666666666665, -0.4901793967861088, 4.823512730119441),
            ([(4, 7)], [(3, 1), (5, 1), (4, 1), (1, 1)], 0.75, -1.967530883796015, 3.467530883796015),
        ] as [([(Int, Int)], [(Int, Int)], Double, Double, Double)])
    func differenceOfMeansHasWelchsInterval(
        _ later: [(Int, Int)], _ earlier: [(Int, Int)], _ value: Double, _ low: Double, _ high: Double
    ) throws {
        let (new, old) = (Distribution(later.map { ($0.0, $0.1) }), Distribution(earlier.map { ($0.0, $0.1) }))
        let difference = try #require(Difference.ofMeans(new, less: old))
        #expect(close(difference.value, value))
        #expect(close(difference.interval?.low, low) && close(difference.interval?.high, high))
        let back = try #require(Difference.ofMeans(old, less: new))
        #expect(close(back.interval?.low, -high) && close(back.value, -value))
    }

    @Test func fewAnswersHaveADifferenceWithoutAnInterval() {
        let (one, two) = (Distribution([(3, 1)]), Distribution([(4, 1), (5, 1)]))
        #expect(Difference.ofMeans(two, less: one) == Difference(value: 1.5, interval: nil))
        #expect(Difference.ofMeans(one, less: two)?.interval == nil)
        #expect(Difference.ofMeans(one, less: Distribution([])) == nil)
        #expect(Difference.ofMeans(Distribution([]), less: one) == nil)
    }

    @Test func equalAnswersHaveAnIntervalOfNoWidth() {
        let difference = Difference.ofMeans(Distribution([(5, 3)]), less: Distribution([(2, 8)]))
        #expect(difference == Difference(value: 3, interval: Interval(low: 3, high: 3)))
    }

    /// Newcombe (1998), table II, examples (a) and (b), and the ends of the scale.
    @Test(
        arguments: [
            (56, 70, 48, 80, 0.05243147240236484, 0.3338726540369059),
            (9, 10, 3, 10, 0.17052272393450296, 0.8090179735354881),
            (10, 10, 0, 20, 0.6790860371419147, 1), (0, 10, 0, 10, -0.27753279986288926, 0.27753279986288926),
            (20, 37, 5, 12, -0.18297620531099307, 0.3924504642665004),
        ] as [(Int, Int, Int, Int, Double, Double)])
    func differenceOfSharesHasNewcombesInterval(
        _ count: Int, _ total: Int, _ earlierCount: Int, _ earlierTotal: Int, _ low: Double, _ high: Double
    ) throws {
        let later = try #require(Proportion(count: count, of: total))
        let earlier = try #require(Proportion(count: earlierCount, of: earlierTotal))
        let difference = Difference.ofShares(later, less: earlier)
        #expect(close(difference.value, later.value - earlier.value))
        #expect(close(difference.interval?.low, low) && close(difference.interval?.high, high))
    }
}
