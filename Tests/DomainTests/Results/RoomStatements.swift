import Domain
import Testing

/// The expected values come from SciPy 1.17.1 by `room_share`, `room_mean` and `room_score` of
/// `scripts/python/check_statistics.py`.
@Suite struct RoomStatements {
    private static func rating(
        _ values: [Int], _ scale: ClosedRange<Int> = 1...5, people: Int, metric: Question.Rating.Metric = .mean
    ) throws -> RoomResult? {
        let question = Question(
            key: "r", title: "R", kind: .rating(.init(min: scale.lowerBound, max: scale.upperBound, metric: metric)))
        var counts = Dictionary(values.map { (String($0), 1) }, uniquingKeysWith: +)
        counts["#answered"] = values.count
        let room = try #require(
            Room(attended: 0, listed: 0, headcount: people, submissions: values.count, onceOnly: true))
        return QuestionResult.make(question: question, counts: counts).placed(in: room).room
    }

    private func close(_ interval: Interval?, _ low: Double, _ high: Double) -> Bool {
        interval.map { abs($0.low - low) <= 1e-9 && abs($0.high - high) <= 1e-9 } ?? false
    }

    /// By exact fractions: `Fraction(comb(K, x) * comb(N - K, n - x), comb(N, n))`. In the fifth case one tail is exactly
    /// 1/40.
    @Test(
        arguments: [
            (3, 3, 5, 3, 5), (0, 4, 5, 0, 1), (11, 11, 12, 11, 12), (7, 9, 12, 7, 10), (0, 1, 40, 0, 38),
            (20, 25, 30, 22, 25), (4, 18, 30, 4, 11), (40, 60, 100, 58, 74), (75, 75, 100, 98, 100),
            (0, 285, 300, 0, 1), (200, 280, 300, 210, 218), (1, 2, 500, 7, 493), (180, 250, 500, 339, 379),
        ] as [(Int, Int, Int, Int, Int)])
    func limitsAreExact(_ count: Int, _ answered: Int, _ people: Int, _ low: Int, _ high: Int) {
        #expect(Hypergeometric.limits95(count: count, of: answered, people: people) == low...high)
    }

    @Test(
        arguments: [
            ([4, 4, 5, 3, 5, 4, 4, 5, 4], 12, 3.9384173036007675, 4.416666666666667),
            ([5, 5, 5], 5, 3.9511483762375046, 5), ([5, 5, 5, 5, 5, 5, 5, 5, 5], 12, 4.779332280934545, 5),
            ([2, 5, 4, 4, 3, 5], 30, 2.7360163429288327, 4.766666666666667),
        ] as [([Int], Int, Double, Double)])
    func meansHaveTheFiniteCorrection(_ values: [Int], _ people: Int, _ low: Double, _ high: Double) throws {
        let room = try #require(try Self.rating(values, people: people))
        #expect(close(room.mean?.ifAlike, low, high))
    }

    @Test(
        arguments: [
            ([10, 9, 9, 10, 8, 7, 3, 10], 12, 15.559578602183915, 66.66666666666667),
            ([10, 10, 10, 10], 5, 63.51157194527808, 100), ([10, 0], 1000, -73.32673961255396, 73.32673961255396),
        ] as [([Int], Int, Double, Double)])
    func scoresHaveTheFiniteCorrection(_ values: [Int], _ people: Int, _ low: Double, _ high: Double) throws {
        let room = try #require(try Self.rating(values, 0...10, people: people, metric: .nps))
        #expect(close(room.nps?.ifAlike, low, high))
    }

    @Test func certainBoundsAreThoseOfTheScale() throws {
        let room = try #require(try Self.rating([5, 5, 5, 5], people: 5))
        #expect(room.mean?.certain == Interval(low: 4.2, high: 5))
        #expect(room.points.last?.certain == Interval(low: 0.8, high: 1))
        #expect(room.points.first?.certain == Interval(low: 0, high: 0.2))
    }

    /// Nothing wider than what is possible at all is shown, and the answers' own number is within it.
    @Test func noIntervalIsWiderThanTheCertainBounds() throws {
        for people in 1...14 {
            for answered in 0...people {
                for top in 0...answered {
                    let values = Array(repeating: 10, count: top) + Array(repeating: 2, count: answered - top)
                    let room = try #require(try Self.rating(values, 0...10, people: people, metric: .nps))
                    for bounds in [room.mean, room.nps].compactMap(\.self) + room.points {
                        #expect(bounds.certain.low <= bounds.certain.high)
                        guard let interval = bounds.ifAlike else { continue }
                        #expect(bounds.certain.low <= interval.low && interval.high <= bounds.certain.high)
                        #expect(interval.low <= interval.high)
                    }
                    guard answered > 1, answered < people else { continue }
                    let mean = Double(values.reduce(0, +)) / Double(answered)
                    let interval = try #require(room.mean?.ifAlike)
                    #expect(interval.low <= mean + 1e-12 && mean - 1e-12 <= interval.high)
                }
            }
        }
    }

    @Test func numbersAreKnownIfEverybodyAnswered() throws {
        let room = try #require(try Self.rating([3, 4, 5], people: 3))
        #expect(room.first == .known)
        #expect(room.mean?.ifAlike == nil)
        #expect(room.mean?.certain == Interval(low: 4, high: 4))
        #expect(room.points.allSatisfy { $0.ifAlike == nil && $0.certain.low == $0.certain.high })
        #expect(!room.hasTooFewAnswers)
    }

    @Test func tooFewAnswersAreReported() throws {
        for values in [[], [4]] {
            let room = try #require(try Self.rating(values, people: 4))
            #expect(room.hasTooFewAnswers)
            #expect(room.mean?.ifAlike == nil)
        }
        #expect(try Self.rating([], people: 4)?.mean?.certain == Interval(low: 1, high: 5))
        #expect(try Self.rating([4, 4], people: 4)?.hasTooFewAnswers == false)
    }

    @Test(
        arguments: [
            (4, 4, .known), (8, 10, .ifAlike), (79, 99, .certain), (5, 10, .certain), (49, 99, .similarPeople),
            (0, 3, .similarPeople),
        ] as [(Int, Int, RoomResult.Statement)])
    func firstStatementDependsOnTheShareOfTheSilent(
        _ answered: Int, _ people: Int, _ statement: RoomResult.Statement
    ) {
        #expect(RoomResult.first(answered: answered, people: people) == statement)
    }

    @Test func attendanceComesBeforeTheListAndTheHeadCount() {
        func room(_ attended: Int, _ listed: Int, _ headcount: Int?, onceOnly: Bool = true) -> Room? {
            Room(attended: attended, listed: listed, headcount: headcount, submissions: 3, onceOnly: onceOnly)
        }
        #expect(room(4, 9, 7)?.people == 4)
        #expect(room(4, 9, 7)?.base == .attended)
        #expect(room(0, 9, 7)?.base == .list)
        #expect(room(0, 0, 7)?.base == .headcount)
        #expect(room(0, 0, nil) == nil)
        #expect(room(0, 0, 0) == nil)
        #expect(room(4, 9, 7, onceOnly: false) == nil)
        #expect(room(2, 9, 7)?.isExceeded == true)
    }

    @Test func nothingIsSaidIfThereAreMoreSubmissionsThanPeople() throws {
        #expect(try Self.rating([4, 5, 3], people: 2) == nil)
    }

    @Test func withheldNumbersSayNothingOfTheRoom() throws {
        let room = try #require(Room(attended: 9, listed: 0, headcount: nil, submissions: 2, onceOnly: true))
        let question = Question(key: "r", title: "R", kind: .rating(.init()))
        #expect(QuestionResult.withheld(question: question).placed(in: room).room == nil)
        let result = QuestionResult.make(question: question, counts: ["#answered": 2, "4": 2]).placed(in: room)
        #expect(result.room != nil)
        #expect(result.emptied.room == nil)
    }

    /// `statistics.median_grouped` of Python
    @Test(
        arguments: [
            ([1, 2], 1.5), ([1, 1, 2, 2], 1.5), ([5, 5, 5], 5), ([4, 4, 5, 5, 5], 4.666666666666667), ([1, 3], 2.5),
            ([3], 3),
        ] as [([Int], Double)])
    func groupedMedianIsInterpolated(_ values: [Int], _ expected: Double) throws {
        let median = try #require(
            Distribution(Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +).map { ($0, $1) }).groupedMedian)
        #expect(abs(median - expected) <= 1e-12)
        #expect(Distribution([]).groupedMedian == nil)
    }
}
