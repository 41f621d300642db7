import Domain
import Testing

/// The expected values come from SciPy 1.17.1. The comments of tests contain the expressions.
@Suite struct StatisticsOfRatings {
    func close(_ value: Double?, _ expected: Double, within tolerance: Double = 1e-10) -> Bool {
        value.map { abs($0 - expected) <= tolerance * max(1, abs(expected)) } ?? false
    }

    /// `scipy.stats.t.ppf(0.975, df)`
    @Test(arguments: [
        (1, 12.706204736174694), (2, 4.302652729749462), (3, 3.1824463052837078), (4, 2.7764451051977934),
        (5, 2.5705818356363146), (10, 2.228138851986274), (29, 2.045229642132703), (30, 2.0422724563012378),
        (35, 2.030107928250343), (36, 2.0280940009804502), (120, 1.9799304050824402), (121, 1.9797637625053868),
        (499, 1.9647293909876886), (500, 1.9647198374673676), (999, 1.9623414611334493), (1000, 1.9623390808264083),
        (1001, 1.9623367052808798), (5000, 1.9604385517065073), (73_420, 1.9599962960311186),
        (1_000_000, 1.959966356814107),
    ])
    func studentsQuantileIsExact(_ degrees: Int, _ expected: Double) {
        #expect(close(StudentT.critical95(degreesOfFreedom: degrees), expected))
    }

    @Test func finiteSeriesMatchesTheExpansion() {
        for degrees in 1000...1040 {
            let t = StudentT.critical95(degreesOfFreedom: degrees)
            #expect(close(StudentT.probability(within: t, degreesOfFreedom: degrees), 0.95, within: 1e-13))
        }
    }

    /// `scipy.stats.binomtest(count, n).proportion_ci(0.95, method='wilson')`
    @Test(
        arguments: [
            (0, 36, 0, 0.09641862859446365), (2, 36, 0.015369986664161853, 0.18144657208647252),
            (11, 36, 0.18004451594829918, 0.4685627285051033), (17, 36, 0.31986041515179064, 0.629940619770124),
            (20, 37, 0.3838404689217949, 0.6896143019562697), (36, 36, 0.9035813714055363, 1),
            (1, 1, 0.20654931437723745, 1),
        ] as [(Int, Int, Double, Double)])
    func sharesHaveWilsonsBounds(_ count: Int, _ total: Int, _ low: Double, _ high: Double) throws {
        let share = try #require(Proportion(count: count, of: total))
        #expect(share.value == Double(count) / Double(total))
        #expect(close(share.low, low))
        #expect(close(share.high, high))
        #expect(share.low <= share.value && share.value <= share.high)
    }

    @Test func shareOfNobodyIsNil() {
        #expect(Proportion(count: 0, of: 0) == nil)
    }

    /// `x.mean()`, `x.std(ddof=1)`, `scipy.stats.t.interval(0.95, n - 1, loc=x.mean(), scale=scipy.stats.sem(x))`
    @Test(
        arguments: [
            ([(2, 2), (3, 11), (4, 17), (5, 6)], 3.75, 4, 0.806225774829855, 3.477212443759689, 4.022787556240311),
            (
                [(1, 10_186), (2, 12_951), (3, 17_609), (4, 16_921), (5, 15_754)], 3.205744950354803, 3,
                1.3333311489922763,
                3.196100374612942, 3.215389526096664
            ),
        ] as [([(Int, Int)], Double, Double, Double, Double, Double)])
    func meansHaveStudentsBounds(
        _ counts: [(Int, Int)], _ mean: Double, _ median: Double, _ deviation: Double, _ low: Double, _ high: Double
    ) {
        let distribution = Distribution(counts.map { (value: $0.0, count: $0.1) })
        #expect(close(distribution.mean, mean))
        #expect(distribution.median == median)
        #expect(close(distribution.standardDeviation, deviation))
        #expect(close(distribution.confidence95?.low, low))
        #expect(close(distribution.confidence95?.high, high))
    }

    @Test func medianIsTheMidpointOfTheMiddleAnswers() {
        #expect(Distribution([(5, 1), (1, 1)]).median == 3)
        #expect(Distribution([(4, 2), (3, 2)]).median == 3.5)
        #expect(Distribution([(4, 2), (3, 1)]).median == 4)
        #expect(Distribution([(1, 3), (9, 0), (5, 3)]).median == 3)
        #expect(Distribution([]).median == nil)
    }

    @Test func equalAnswersHaveAnIntervalOfNoWidth() {
        let distribution = Distribution([(4, 9)])
        #expect(distribution.standardDeviation == 0)
        #expect(distribution.confidence95 == Interval(low: 4, high: 4))
    }

    /// `w = [20.75, 11.5, 7.75]`; `v = np.average([1, 0, -1], weights=w)`;
    /// `100 * scipy.stats.norm.interval(0.95, v, (np.average((np.array([1, 0, -1]) - v) ** 2, weights=w) / 40) ** 0.5)`
    @Test func netPromoterScoreHasAnInterval() throws {
        let counts = [(10, 12), (9, 8), (8, 4), (7, 6), (6, 3), (0, 4)]
        let score = try #require(NetPromoterScore(Distribution(counts.map { (value: $0.0, count: $0.1) })))
        #expect(score.promoters == 20)
        #expect(score.passives == 10)
        #expect(score.detractors == 7)
        #expect(close(score.score, 35.13513513513514))
        #expect(close(score.interval?.low, 8.35830721651469))
        #expect(close(score.interval?.high, 56.64169278348531))
    }

    @Test func scoreIsWithinItsInterval() throws {
        for total in 2...60 {
            for promoters in 0...total {
                for detractors in 0...(total - promoters) {
                    let score = try #require(
                        NetPromoterScore(
                            Distribution([(10, promoters), (8, total - promoters - detractors), (0, detractors)])))
                    let interval = try #require(score.interval)
                    #expect(interval.low >= -100 && interval.high <= 100 && interval.low < interval.high)
                    #expect(interval.low <= score.score && score.score <= interval.high)
                }
            }
        }
    }

    @Test func scoreOfFewerThanTwoAnswersHasNoInterval() {
        #expect(NetPromoterScore(Distribution([(10, 1)]))?.interval == nil)
        #expect(NetPromoterScore(Distribution([(10, 1)]))?.score == 100)
        #expect(NetPromoterScore(Distribution([])) == nil)
    }
}
